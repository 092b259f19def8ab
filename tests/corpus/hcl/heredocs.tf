a = <<-EOT
    x ${b.c}

      %{ for k, v in m ~}
      y ${v}
      %{ endfor }
  EOT
c = [<<A
x
A
, 1]
