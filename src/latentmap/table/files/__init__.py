"""Tables in files: text, Excel, Parquet, AnnData and SpatialData, read and written."""
