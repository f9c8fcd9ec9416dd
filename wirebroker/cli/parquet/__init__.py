"""`wirebroker export` and `wirebroker import`: a topic as Parquet files and back, through PySpark (extra: spark).

`spark.py` starts Spark and turns its errors into one line.
"""
