provider_installation {}
provider_installation { direct {} dev_overrides {} }
plugin_cache_dir = "a" PLUGIN_CACHE_DIR = "b"
