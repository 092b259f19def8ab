a = <<E
x
E
provider_installation {}
