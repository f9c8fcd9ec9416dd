"""`wirebroker log ...`: look at the files of a data directory that no broker uses, and mend them."""
