credentials "app.example.com" { token = "not a secret" }
credentials_helper "x" { args = ["a", "b"] }
host "example.com" { services = { "modules.v1" = "https://example.com/" } }
disable_checkpoint = true
