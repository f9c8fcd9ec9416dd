"""Programs for those who build wirebroker: the code generator, benchmarks, fuzzing, Java for tests."""
