provider_installation { filesystem_mirror { path = "a" include = ["*/b/c", "x", "/", "a b/c", "*/*/*/*"] } }
