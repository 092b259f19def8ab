a "b" c "d" { e f { } } provider_installation "x" {}
