provider_installation { filesystem_mirror { path = <<E
/m
E
include = [<<-X
    hashicorp/aws
    X
] } }
