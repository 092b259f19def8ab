a = <<-EOF
  x
 EOFX
