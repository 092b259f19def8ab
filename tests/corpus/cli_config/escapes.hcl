plugin_cache_dir = "\a\b\f\n\r\t\v\\\"\101\x42\u00e4\U0001F600"
