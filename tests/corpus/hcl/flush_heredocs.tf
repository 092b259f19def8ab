x = <<-EOT
    a ${b.c}

  	 d $${e}
     
    EOT2
  EOT
y = "1\n${z}2\n$${q}$${"$"}${w}\n"
b {
  t = <<EOT
  two ${n}
  three
EOT
}
