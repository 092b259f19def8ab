# comment
plugin_cache_dir = "$HOME/.cache" // other
provider_installation {
  dev_overrides {
    "hashicorp/aws" = "/a"
    acme = "../b"
  }
  /* block
     comment */
  filesystem_mirror {
    path    = "/usr/share/providers"
    include = [
      "example.com/*/*", # why
      "hashicorp/aws",
    ]
    exclude = ["example.com/acme/*"]
  }
  direct {}
}
