x0 = 1
x1 = -1.5e3 
x2 = "x"
x3 = ""
x4 = "q\"\\\n\t\u00e4\U0001F600"
x5 = aws_s3_bucket.example.id
x6 = aws_x.y[0].id
x7 = aws_x.y[*].id
x8 = aws_x.y.*.id
x9 = aws_x.y.0.id
x10 = aws_x.y["k"].id
x11 = aws_x.y[each.key].id
x12 = data.aws_x.y.id
x13 = "${aws_x.y.id}"
x14 = "arn:${aws_x.y.arn}/*"
x15 = "${a}${b}"
x16 = "${"${a}"}"
x17 = "${f("x")}"
x18 = "$${a} %%{b} $ % $5 %d $$ $$x"
x19 = "x ${~ b ~} y"
x20 = "%{ if x }yes%{ else }no%{ endif }"
x21 = "%{if x}${y}%{endif}."
x22 = "%{ for k, v in m ~} ${v} %{ endfor }"
x23 = "%{ for v in m }%{ if v }${v}%{ endif }%{ endfor }"
x24 = "${
 b
}"
x25 = <<-EOT
    x

      y ${b}
  EOT
x26 = <<EOT
EOT
x27 = <<EOT
"quoted" \n ${"EOT"}
EOT
x28 = [<<A
x
A
, 1]
x29 = f(<<A
x
A
)
x30 = {"x y" = 1, (k) = 2, "${z}" = 3, 4 = 5}
x31 = {x = {y = [b.c]}}
x32 = {b.c = 1}
x33 = {x ? y : z = 1}
x34 = f()
x35 = f(b, c...)
x36 = f(
 b,
 c,
)
x37 = provider::x::f(b)
x38 = f(b).c[0]
x39 = (b).c
x40 = (b.d).c
x41 = [b][0]
x42 = {x=1}.x
x43 = "x"[0]
x44 = b ? c.d : e
x45 = b ? c : d ? e : f
x46 = b + c * d - e
x47 = b + c + d
x48 = b - c - d
x49 = b || c && d == e
x50 = !b.c && -d % 2 / 3 == 1
x51 = [for x in y : x.id]
x52 = [for i, x in y : x if i > 0]
x53 = {for k, v in y : k => v.id...}
x54 = {
 for k, v in y :
 k => v
 if k
}
x55 = (b
+
c)
x56 = b[
0
]
x57 = éx
