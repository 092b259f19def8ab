# A small shop on AWS: what the import tests create with the real terraform, and then find again. `copies` makes it larger.
variable "copies" {
  type    = number
  default = 1
}

locals {
  trust  = { Version = "2012-10-17", Statement = [{ Action = "sts:AssumeRole", Effect = "Allow", Principal = { Service = "lambda.amazonaws.com" } }] }
  copies = toset([for i in range(var.copies) : format("%03d", i)])
}

# --- network ---

resource "aws_vpc" "main" {
  cidr_block           = "10.0.0.0/16"
  enable_dns_hostnames = true
  tags                 = { Name = "main", for = "x", "a b" = "$${y}" }
}

resource "aws_subnet" "web" {
  count             = 2
  vpc_id            = aws_vpc.main.id
  cidr_block        = cidrsubnet(aws_vpc.main.cidr_block, 8, count.index)
  availability_zone = "us-east-1${["a", "b"][count.index]}"
  tags              = { Name = "web-${count.index}" }
}

resource "aws_internet_gateway" "main" {
  vpc_id = aws_vpc.main.id
  tags   = { Name = "main" }
}

resource "aws_eip" "nat" {
  domain = "vpc"
  tags   = { Name = "nat" }
}

resource "aws_nat_gateway" "main" {
  allocation_id = aws_eip.nat.id
  subnet_id     = aws_subnet.web[0].id
  tags          = { Name = "main" }
}

resource "aws_route_table" "web" {
  vpc_id = aws_vpc.main.id
  tags   = { Name = "web" }
}

resource "aws_route" "out" {
  route_table_id         = aws_route_table.web.id
  destination_cidr_block = "0.0.0.0/0"
  gateway_id             = aws_internet_gateway.main.id
}

resource "aws_route_table_association" "web" {
  count          = 2
  subnet_id      = aws_subnet.web[count.index].id
  route_table_id = aws_route_table.web.id
}

resource "aws_network_acl" "web" {
  vpc_id     = aws_vpc.main.id
  subnet_ids = [aws_subnet.web[1].id]
  tags       = { Name = "web" }
}

resource "aws_network_acl_rule" "web" {
  network_acl_id = aws_network_acl.web.id
  rule_number    = 100
  protocol       = "tcp"
  rule_action    = "allow"
  cidr_block     = "0.0.0.0/0"
  from_port      = 80
  to_port        = 80
}

resource "aws_security_group" "web" {
  name        = "web"
  description = "web"
  vpc_id      = aws_vpc.main.id
  tags        = { Name = "web" }
}

resource "aws_security_group" "db" {
  name        = "db"
  description = "db"
  vpc_id      = aws_vpc.main.id
}

resource "aws_vpc_security_group_ingress_rule" "http" {
  security_group_id = aws_security_group.web.id
  ip_protocol       = "tcp"
  from_port         = 80
  to_port           = 80
  cidr_ipv4         = "0.0.0.0/0"
}

resource "aws_vpc_security_group_ingress_rule" "db" {
  security_group_id            = aws_security_group.db.id
  ip_protocol                  = "tcp"
  from_port                    = 5432
  to_port                      = 5432
  referenced_security_group_id = aws_security_group.web.id
}

resource "aws_vpc_security_group_egress_rule" "all" {
  security_group_id = aws_security_group.web.id
  ip_protocol       = "-1"
  cidr_ipv4         = "0.0.0.0/0"
}

resource "aws_network_interface" "extra" {
  subnet_id       = aws_subnet.web[0].id
  security_groups = [aws_security_group.web.id]
  tags            = { Name = "extra" }
}

resource "aws_ebs_volume" "data" {
  availability_zone = "us-east-1a"
  size              = 8
  type              = "gp3"
  tags              = { Name = "data" }
}

resource "aws_launch_template" "web" {
  name          = "web"
  image_id      = "ami-12c6146b"
  instance_type = "t3.micro"
}

resource "aws_key_pair" "admin" {
  key_name   = "admin"
  public_key = "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC3F6tyPEFEzV0LX3X8BsXdMsQz1x2cEikKDEY0aIj41qgxMCP/iteneqXSIFZBp5vizPvaoIR3Um9xK7PGoW8giupGn+EPuxIA4cDM4vzOqOkiMPhz5XK0whEjkVzTo4+S0puvDZuwIsdiW9mxhJc7tgBNL0cYlWSYVkz4G/fslNfRPW5mYAM49f4fhtxPb5ok4Q2Lg9dPKVHO/Bgeu5woMc7RY0p1ej6D4CKFE6lymSDJpW0YHX/wqE9+cfEauh7xZcG0q9t2ta6F6fmX0agvpFyZo8aFbXeUBr7osSCJNgvavWbM/06niWrOvYX2xwWdhXmXSrbX8ZbabVohBK41 admin@example.com"
}

resource "aws_instance" "web" {
  ami                    = "ami-12c6146b"
  instance_type          = "t3.micro"
  subnet_id              = aws_subnet.web[0].id
  vpc_security_group_ids = [aws_security_group.web.id]
  tags                   = { Name = "web" }
}

resource "aws_lb" "web" {
  count              = var.copies > 1 ? 1 : 0
  name               = "web"
  internal           = true
  load_balancer_type = "application"
  security_groups    = [aws_security_group.web.id]
  subnets            = aws_subnet.web[*].id
}

resource "aws_lb_target_group" "web" {
  name     = "web"
  port     = 80
  protocol = "HTTP"
  vpc_id   = aws_vpc.main.id
}

resource "aws_lb_listener" "web" {
  count             = var.copies > 1 ? 1 : 0
  load_balancer_arn = aws_lb.web[0].arn
  port              = 80
  protocol          = "HTTP"
  default_action {
    type             = "forward"
    target_group_arn = aws_lb_target_group.web.arn
  }
}

# --- storage ---

resource "aws_s3_bucket" "logs" {
  bucket = "terrane-logs"
}

resource "aws_s3_bucket" "site" {
  bucket = "terrane-site"
  tags   = { Name = "site", Team = "shop" }
}

resource "aws_s3_bucket_versioning" "site" {
  bucket = aws_s3_bucket.site.id
  versioning_configuration {
    status = "Enabled"
  }
}

resource "aws_s3_bucket_server_side_encryption_configuration" "site" {
  bucket = aws_s3_bucket.site.id
  rule {
    apply_server_side_encryption_by_default {
      sse_algorithm     = "aws:kms"
      kms_master_key_id = aws_kms_key.main.arn
    }
  }
}

resource "aws_s3_bucket_public_access_block" "site" {
  bucket              = aws_s3_bucket.site.id
  block_public_acls   = true
  block_public_policy = true
}

resource "aws_s3_bucket_policy" "site" {
  bucket = aws_s3_bucket.site.id
  policy = jsonencode({ Version = "2012-10-17", Statement = [{ Effect = "Allow", Action = ["s3:GetObject"],
  Principal = { AWS = aws_iam_role.app.arn }, Resource = ["${aws_s3_bucket.site.arn}/*"] }] })
}

resource "aws_s3_bucket_lifecycle_configuration" "logs" {
  bucket = aws_s3_bucket.logs.id
  rule {
    id     = "old"
    status = "Enabled"
    filter {
      prefix = "old/"
    }
    expiration {
      days = 30
    }
  }
}

resource "aws_s3_bucket_policy" "logs" {
  bucket = aws_s3_bucket.logs.id
  policy = jsonencode({ Version = "2012-10-17", Statement = [{ Effect = "Allow", Action = "s3:PutObject",
  Principal = { Service = "logging.s3.amazonaws.com" }, Resource = "${aws_s3_bucket.logs.arn}/*" }] })
}

resource "aws_s3_bucket_logging" "site" {
  depends_on    = [aws_s3_bucket_policy.logs]
  bucket        = aws_s3_bucket.site.id
  target_bucket = aws_s3_bucket.logs.id
  target_prefix = "site/"
}

resource "aws_s3_bucket_cors_configuration" "site" {
  bucket = aws_s3_bucket.site.id
  cors_rule {
    allowed_methods = ["GET"]
    allowed_origins = ["https://shop.example.com"]
  }
}

resource "aws_s3_bucket_website_configuration" "site" {
  bucket = aws_s3_bucket.site.id
  index_document {
    suffix = "index.html"
  }
}

resource "aws_s3_bucket_ownership_controls" "logs" {
  bucket = aws_s3_bucket.logs.id
  rule {
    object_ownership = "ObjectWriter"
  }
}

resource "aws_dynamodb_table" "orders" {
  name         = "orders"
  billing_mode = "PAY_PER_REQUEST"
  hash_key     = "id"
  attribute {
    name = "id"
    type = "S"
  }
}

resource "aws_efs_file_system" "shared" {
  creation_token = "shared"
}

resource "aws_db_subnet_group" "db" {
  name       = "db"
  subnet_ids = aws_subnet.web[*].id
}

# --- who may do what ---

resource "aws_iam_role" "app" {
  name               = "app"
  assume_role_policy = jsonencode(local.trust)
  tags               = { Name = "app" }
}

resource "aws_iam_role_policy" "app" {
  name   = "inline"
  role   = aws_iam_role.app.id
  policy = jsonencode({ Version = "2012-10-17", Statement = [{ Effect = "Allow", Action = ["dynamodb:*"], Resource = [aws_dynamodb_table.orders.arn] }] })
}

resource "aws_iam_policy" "app" {
  name   = "app"
  policy = jsonencode({ Version = "2012-10-17", Statement = [{ Effect = "Allow", Action = ["sqs:*"], Resource = [aws_sqs_queue.orders.arn] }] })
}

resource "aws_iam_role_policy_attachment" "app" {
  role       = aws_iam_role.app.name
  policy_arn = aws_iam_policy.app.arn
}

resource "aws_iam_instance_profile" "app" {
  name = "app"
  role = aws_iam_role.app.name
}

resource "aws_iam_group" "dev" {
  name = "dev"
}

resource "aws_iam_group_policy_attachment" "dev" {
  group      = aws_iam_group.dev.name
  policy_arn = aws_iam_policy.app.arn
}

resource "aws_iam_user" "ann" {
  name = "ann"
}

resource "aws_iam_user_group_membership" "ann" {
  user   = aws_iam_user.ann.name
  groups = [aws_iam_group.dev.name]
}

resource "aws_iam_user_policy" "ann" {
  name   = "own"
  user   = aws_iam_user.ann.name
  policy = jsonencode({ Version = "2012-10-17", Statement = [{ Effect = "Allow", Action = ["iam:GetUser"], Resource = ["*"] }] })
}

resource "aws_kms_key" "main" {
  description = "main"
}

resource "aws_kms_alias" "main" {
  name          = "alias/main"
  target_key_id = aws_kms_key.main.key_id
}

resource "aws_secretsmanager_secret" "db" {
  name = "db"
}

resource "aws_secretsmanager_secret_version" "db" {
  secret_id     = aws_secretsmanager_secret.db.id
  secret_string = jsonencode({ password = "top secret one", "a b" = "$${x}" })
}

resource "aws_ssm_parameter" "secret" {
  name  = "/shop/secret"
  type  = "SecureString"
  value = "top secret two"
}

# --- messages and code ---

resource "aws_sns_topic" "orders" {
  name = "orders"
}

resource "aws_sns_topic_subscription" "orders" {
  topic_arn = aws_sns_topic.orders.arn
  protocol  = "sqs"
  endpoint  = aws_sqs_queue.orders.arn
}

resource "aws_sns_topic_policy" "orders" {
  arn = aws_sns_topic.orders.arn
  policy = jsonencode({ Version = "2012-10-17", Statement = [{ Sid = "publish", Effect = "Allow", Action = "sns:Publish",
  Principal = { Service = "events.amazonaws.com" }, Resource = aws_sns_topic.orders.arn }] })
}

resource "aws_sqs_queue" "dead" {
  name             = "dead"
  max_message_size = 262144
}

resource "aws_sqs_queue" "orders" {
  name             = "orders"
  max_message_size = 262144
  redrive_policy   = jsonencode({ deadLetterTargetArn = aws_sqs_queue.dead.arn, maxReceiveCount = 4 })
}

resource "aws_sqs_queue_policy" "orders" {
  queue_url = aws_sqs_queue.orders.id
  policy = jsonencode({ Version = "2012-10-17", Statement = [{ Effect = "Allow", Action = "sqs:SendMessage",
  Principal = { Service = "sns.amazonaws.com" }, Resource = aws_sqs_queue.orders.arn, Condition = { ArnEquals = { "aws:SourceArn" = aws_sns_topic.orders.arn } } }] })
}

resource "aws_kinesis_stream" "clicks" {
  name        = "clicks"
  shard_count = 1
}

resource "aws_cloudwatch_log_group" "app" {
  name              = "/shop/app"
  retention_in_days = 7
}

resource "aws_cloudwatch_metric_alarm" "depth" {
  alarm_name          = "depth"
  comparison_operator = "GreaterThanThreshold"
  evaluation_periods  = 1
  metric_name         = "ApproximateNumberOfMessagesVisible"
  namespace           = "AWS/SQS"
  period              = 60
  statistic           = "Maximum"
  threshold           = 10
  alarm_actions       = [aws_sns_topic.orders.arn]
  dimensions          = { QueueName = aws_sqs_queue.orders.name }
}

resource "aws_cloudwatch_dashboard" "shop" {
  dashboard_name = "shop"
  dashboard_body = jsonencode({ widgets = [{ type = "text", x = 0, y = 0, width = 3, height = 3, properties = { markdown = "hello" } }] })
}

resource "aws_cloudwatch_event_rule" "daily" {
  name                = "daily"
  schedule_expression = "rate(1 day)"
}

resource "aws_cloudwatch_event_target" "daily" {
  rule      = aws_cloudwatch_event_rule.daily.name
  target_id = "topic"
  arn       = aws_sns_topic.orders.arn
}

resource "aws_route53_zone" "shop" {
  name = "shop.example.com"
}

resource "aws_route53_record" "www" {
  zone_id = aws_route53_zone.shop.zone_id
  name    = "www.shop.example.com"
  type    = "A"
  ttl     = 300
  records = ["192.0.2.1"]
}

resource "aws_ecr_repository" "app" {
  name = "app"
}

resource "aws_ecs_cluster" "shop" {
  name = "shop"
}

resource "aws_ecs_task_definition" "app" {
  family                = "app"
  container_definitions = jsonencode([{ name = "app", image = "app:1", cpu = 10, memory = 64, essential = true }])
}

resource "aws_sfn_activity" "orders" {
  name = "orders"
}

resource "aws_lambda_function" "app" {
  function_name = "app"
  role          = aws_iam_role.app.arn
  handler       = "index.handler"
  runtime       = "python3.12"
  filename      = "${path.module}/code.zip"
}

resource "aws_lambda_permission" "events" {
  statement_id  = "events"
  action        = "lambda:InvokeFunction"
  function_name = aws_lambda_function.app.function_name
  principal     = "events.amazonaws.com"
  source_arn    = aws_cloudwatch_event_rule.daily.arn
}

resource "aws_api_gateway_rest_api" "shop" {
  name = "shop"
}

resource "aws_api_gateway_resource" "orders" {
  rest_api_id = aws_api_gateway_rest_api.shop.id
  parent_id   = aws_api_gateway_rest_api.shop.root_resource_id
  path_part   = "orders"
}

resource "aws_api_gateway_method" "get" {
  rest_api_id   = aws_api_gateway_rest_api.shop.id
  resource_id   = aws_api_gateway_resource.orders.id
  http_method   = "GET"
  authorization = "NONE"
}

# --- more of the same ---

resource "aws_sqs_queue" "many" {
  for_each         = var.copies > 1 ? local.copies : []
  name             = "many-${each.key}"
  max_message_size = 262144
}

resource "aws_iam_role" "many" {
  for_each           = var.copies > 1 ? local.copies : []
  name               = "many-${each.key}"
  assume_role_policy = jsonencode(local.trust)
}

resource "aws_iam_role_policy_attachment" "many" {
  for_each   = aws_iam_role.many
  role       = each.value.name
  policy_arn = aws_iam_policy.app.arn
}

resource "aws_subnet" "many" {
  for_each          = var.copies > 1 ? local.copies : []
  vpc_id            = aws_vpc.main.id
  cidr_block        = cidrsubnet(aws_vpc.main.cidr_block, 8, 10 + tonumber(each.key))
  availability_zone = "us-east-1a"
}

resource "aws_sns_topic" "many" {
  for_each = var.copies > 1 ? local.copies : []
  name     = "many-${each.key}"
}

resource "aws_ssm_parameter" "many" {
  for_each = var.copies > 1 ? local.copies : []
  name     = "/many/${each.key}"
  type     = "String"
  value    = aws_sns_topic.many[each.key].arn
}

# --- what fewer people have ---

resource "aws_ses_email_identity" "sender" {
  email = "shop@example.com"
}

resource "aws_ses_template" "welcome" {
  name    = "welcome"
  subject = "Welcome"
  text    = "Dear {{name}},\n\nyour order is on its way.\n"
}

resource "aws_guardduty_detector" "main" {
  enable = true
}

resource "aws_resourcegroups_group" "shop" {
  name = "shop"
  resource_query {
    query = jsonencode({ ResourceTypeFilters = ["AWS::EC2::Instance"], TagFilters = [{ Key = "Team", Values = ["shop"] }] })
  }
}

resource "aws_iot_thing" "printer" {
  name = "printer"
}

# --- what providers and clouds tell otherwise than it has to be written ---

resource "aws_scheduler_schedule" "hourly" {
  name                = "hourly"
  schedule_expression = "rate(1 hours)"
  flexible_time_window {
    mode = "OFF"
  }
  target {
    arn      = aws_sqs_queue.orders.arn
    role_arn = aws_iam_role.app.arn
  }
}

resource "aws_iam_openid_connect_provider" "builds" {
  url             = "https://token.actions.example.com"
  client_id_list  = ["sts.amazonaws.com"]
  thumbprint_list = ["6938fd4d98bab03faadb97b34396831e3780aea1"]
}

resource "aws_mq_broker" "orders" {
  broker_name                = "orders"
  engine_type                = "ActiveMQ"
  engine_version             = "5.18"
  host_instance_type         = "mq.t3.micro"
  auto_minor_version_upgrade = true
  user {
    username = "admin"
    password = "top secret three"
  }
}

resource "aws_batch_compute_environment" "jobs" {
  compute_environment_name = "jobs"
  type                     = "UNMANAGED"
  service_role             = aws_iam_role.app.arn
}

resource "aws_batch_job_queue" "jobs" {
  name     = "jobs"
  state    = "ENABLED"
  priority = 1
  compute_environment_order {
    order               = 1
    compute_environment = aws_batch_compute_environment.jobs.arn
  }
}

resource "aws_ecs_task_definition" "worker" {
  family                   = "worker"
  network_mode             = "awsvpc"
  requires_compatibilities = ["FARGATE"]
  cpu                      = 256
  memory                   = 512
  container_definitions = jsonencode([{ name = "worker", image = "${aws_ecr_repository.app.repository_url}:1", essential = true,
    environment = [{ name = "QUEUE", value = aws_sqs_queue.orders.url }],
  logConfiguration = { logDriver = "awslogs", options = { "awslogs-group" = aws_cloudwatch_log_group.app.name, "awslogs-region" = "us-east-1" } } }])
}
