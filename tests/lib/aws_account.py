"""An AWS account on moto, populated by real terraform from a configuration with references, which are known because they stand in it.

    account = aws_account.Account(folder, terraform, binary, copies=1)     # objects of some 40 types, each copy once more
    account.state, account.env, account.settings, account.references()
    account.close()
"""
import json
import os
import re

import moto
import peers

TIMEOUT = 1800

# One copy; N, where no small letter follows, is its number. No two objects of a type have the same values, and nothing is random.
CONFIGURATION = r'''
resource "aws_vpc" "vN" {
  cidr_block           = "10.N.0.0/16"
  enable_dns_hostnames = true
  tags                 = { Name = "net-N" }
}
resource "aws_subnet" "aN" {
  vpc_id            = aws_vpc.vN.id
  cidr_block        = "10.N.1.0/24"
  availability_zone = "us-east-1a"
  tags              = { Name = "a-N" }
}
resource "aws_subnet" "bN" {
  vpc_id            = aws_vpc.vN.id
  cidr_block        = "10.N.2.0/24"
  availability_zone = "us-east-1b"
}
resource "aws_internet_gateway" "gN" {
  vpc_id = aws_vpc.vN.id
}
resource "aws_route_table" "rN" {
  vpc_id = aws_vpc.vN.id
  tags   = { Name = "routes-N" }
}
resource "aws_route_table_association" "aN" {
  subnet_id      = aws_subnet.aN.id
  route_table_id = aws_route_table.rN.id
}
resource "aws_security_group" "webN" {
  name        = "web-N"
  description = "web N"
  vpc_id      = aws_vpc.vN.id
}
resource "aws_security_group" "dbN" {
  name        = "db-N"
  description = "db N"
  vpc_id      = aws_vpc.vN.id
  ingress {
    from_port       = 5432
    to_port         = 5432
    protocol        = "tcp"
    security_groups = [aws_security_group.webN.id]
  }
}
resource "aws_vpc_security_group_ingress_rule" "hN" {
  security_group_id = aws_security_group.webN.id
  cidr_ipv4         = "10.0.0.0/8"
  from_port         = 80
  to_port           = 80
  ip_protocol       = "tcp"
}
resource "aws_network_acl" "nN" {
  vpc_id = aws_vpc.vN.id
}
resource "aws_eip" "eN" {
  domain = "vpc"
}
resource "aws_db_subnet_group" "dN" {
  name       = "subnets-N"
  subnet_ids = [aws_subnet.aN.id, aws_subnet.bN.id]
}
resource "aws_s3_bucket" "logsN" {
  bucket = "terrane-logs-N"
}
resource "aws_s3_bucket" "dataN" {
  bucket = "terrane-data-N"
  tags   = { team = "t-N" }
}
resource "aws_s3_bucket_versioning" "dataN" {
  bucket = aws_s3_bucket.dataN.id
  versioning_configuration { status = "Enabled" }
}
resource "aws_s3_bucket_public_access_block" "dataN" {
  bucket                  = aws_s3_bucket.dataN.id
  block_public_acls       = true
  block_public_policy     = true
  ignore_public_acls      = true
  restrict_public_buckets = true
}
resource "aws_s3_bucket_ownership_controls" "logsN" {
  bucket = aws_s3_bucket.logsN.id
  rule { object_ownership = "BucketOwnerPreferred" }
}
resource "aws_s3_bucket_policy" "dataN" {
  bucket = aws_s3_bucket.dataN.id
  policy = jsonencode({ Version = "2012-10-17", Statement = [{ Effect = "Allow", Action = "s3:GetObject",
    Principal = { AWS = aws_iam_role.appN.arn }, Resource = "${aws_s3_bucket.dataN.arn}/*" }] })
}
resource "aws_iam_role" "appN" {
  name               = "app-N"
  assume_role_policy = jsonencode({ Version = "2012-10-17", Statement = [{ Action = "sts:AssumeRole", Effect = "Allow",
    Principal = { Service = "ec2.amazonaws.com" } }] })
}
resource "aws_iam_policy" "pN" {
  name   = "policy-N"
  policy = jsonencode({ Version = "2012-10-17", Statement = [
    { Action = ["s3:*"], Effect = "Allow", Resource = [aws_s3_bucket.dataN.arn, "${aws_s3_bucket.dataN.arn}/*"] },
    { Action = ["sqs:*"], Effect = "Allow", Resource = aws_sqs_queue.jobsN.arn }] })
}
resource "aws_iam_role_policy_attachment" "pN" {
  role       = aws_iam_role.appN.name
  policy_arn = aws_iam_policy.pN.arn
}
resource "aws_iam_role_policy" "inlineN" {
  name   = "inline-N"
  role   = aws_iam_role.appN.name
  policy = jsonencode({ Version = "2012-10-17", Statement = [{ Action = ["dynamodb:*"], Effect = "Allow",
    Resource = aws_dynamodb_table.tN.arn }] })
}
resource "aws_iam_instance_profile" "appN" {
  name = "app-N"
  role = aws_iam_role.appN.name
}
resource "aws_iam_user" "uN" {
  name = "user-N"
}
resource "aws_iam_group" "gN" {
  name = "group-N"
}
resource "aws_iam_user_group_membership" "uN" {
  user   = aws_iam_user.uN.name
  groups = [aws_iam_group.gN.name]
}
resource "aws_sqs_queue" "deadN" {
  name             = "dead-N"
  max_message_size = 262144
}
resource "aws_sqs_queue" "jobsN" {
  name             = "jobs-N"
  max_message_size = 262144
  redrive_policy   = jsonencode({ deadLetterTargetArn = aws_sqs_queue.deadN.arn, maxReceiveCount = 3 })
}
resource "aws_sqs_queue_policy" "jobsN" {
  queue_url = aws_sqs_queue.jobsN.id
  policy    = jsonencode({ Version = "2012-10-17", Statement = [{ Effect = "Allow", Principal = { Service = "sns.amazonaws.com" },
    Action = "sqs:SendMessage", Resource = aws_sqs_queue.jobsN.arn,
    Condition = { ArnEquals = { "aws:SourceArn" = aws_sns_topic.eventsN.arn } } }] })
}
resource "aws_sns_topic" "eventsN" {
  name = "events-N"
}
resource "aws_sns_topic_subscription" "jobsN" {
  topic_arn = aws_sns_topic.eventsN.arn
  protocol  = "sqs"
  endpoint  = aws_sqs_queue.jobsN.arn
}
resource "aws_dynamodb_table" "tN" {
  name         = "table-N"
  billing_mode = "PAY_PER_REQUEST"
  hash_key     = "id"
  attribute {
    name = "id"
    type = "S"
  }
}
resource "aws_kms_key" "kN" {
  description = "key N"
}
resource "aws_kms_alias" "kN" {
  name          = "alias/key-N"
  target_key_id = aws_kms_key.kN.key_id
}
resource "aws_cloudwatch_log_group" "lN" {
  name              = "/app/N"
  retention_in_days = 7
  kms_key_id        = aws_kms_key.kN.arn
}
resource "aws_cloudwatch_metric_alarm" "aN" {
  alarm_name          = "alarm-N"
  comparison_operator = "GreaterThanThreshold"
  evaluation_periods  = 2
  metric_name         = "ApproximateNumberOfMessagesVisible"
  namespace           = "AWS/SQS"
  period              = 120
  statistic           = "Average"
  threshold           = 80
  alarm_actions       = [aws_sns_topic.eventsN.arn]
  dimensions          = { QueueName = aws_sqs_queue.jobsN.name }
}
resource "aws_cloudwatch_event_rule" "rN" {
  name                = "rule-N"
  schedule_expression = "rate(5 minutes)"
}
resource "aws_cloudwatch_event_target" "rN" {
  rule      = aws_cloudwatch_event_rule.rN.name
  target_id = "jobs"
  arn       = aws_sqs_queue.jobsN.arn
}
resource "aws_route53_zone" "zN" {
  name = "zN.example.com"
}
resource "aws_route53_record" "wwwN" {
  zone_id = aws_route53_zone.zN.zone_id
  name    = "www.zN.example.com"
  type    = "A"
  ttl     = 60
  records = ["10.0.0.1"]
}
resource "aws_ecr_repository" "eN" {
  name = "images-N"
}
resource "aws_ecs_cluster" "cN" {
  name = "cluster-N"
}
resource "aws_ssm_parameter" "pN" {
  name  = "/app/N/url"
  type  = "String"
  value = "http://N.example.com"
}
resource "aws_ssm_parameter" "secretN" {
  name  = "/app/N/secret"
  type  = "SecureString"
  value = "top secret N"
}
resource "aws_secretsmanager_secret" "sN" {
  name                    = "secret-N"
  recovery_window_in_days = 0
  kms_key_id              = aws_kms_key.kN.arn
}
resource "aws_secretsmanager_secret_version" "sN" {
  secret_id     = aws_secretsmanager_secret.sN.id
  secret_string = "deep secret N"
}
resource "aws_launch_template" "lN" {
  name                   = "template-N"
  image_id               = "ami-12c6146b"
  instance_type          = "t2.micro"
  vpc_security_group_ids = [aws_security_group.webN.id]
  iam_instance_profile { arn = aws_iam_instance_profile.appN.arn }
}
resource "aws_kinesis_stream" "kN" {
  name        = "stream-N"
  shard_count = 1
}
'''
REFERENCE = re.compile(r"\b(aws_[a-z0-9_]+\.[A-Za-z0-9]+)\.[a-z_]+")


def import_id(kind, attributes):
    """What the provider imports an object by."""
    a = attributes
    if kind == "aws_iam_role_policy_attachment":
        return f"{a['role']}/{a['policy_arn']}"
    if kind == "aws_route":
        return f"{a['route_table_id']}_{a['destination_cidr_block']}"
    if kind == "aws_route_table_association":
        return f"{a['subnet_id']}/{a['route_table_id']}"
    if kind == "aws_iam_user_group_membership":
        return "/".join([a["user"], *a["groups"]])
    if kind == "aws_cloudwatch_event_target":
        return f"{a['rule']}/{a['target_id']}"
    if kind in ("aws_kinesis_stream", "aws_ecs_cluster"):
        return a["name"]
    return a["id"]


def configuration(copies):
    return "".join(re.sub(r"N(?![a-z])", str(i), CONFIGURATION) for i in range(1, copies + 1))


class Account:
    def __init__(self, folder, terraform, binary, copies=1):
        self.folder, self.terraform, self.copies = folder, terraform, copies
        os.makedirs(folder, exist_ok=True)
        self.server = moto.Server(moto.program(), folder)
        try:
            self.cloud = moto.Moto(self.server.port)
            self.settings = self.cloud.settings()
            self.env = peers.workspace(folder, terraform, "aws", binary)
            self.write("provider.tf.json", json.dumps({"provider": {"aws": self.settings}}))
            self.write("objects.tf", configuration(copies))
            self.cli("apply", "-auto-approve", "-input=false", "-no-color", "-parallelism=20")
            # Once more, because moto answers some reads after a creation with what it fills in later.
            self.cli("apply", "-refresh-only", "-auto-approve", "-input=false", "-no-color")
            self.reload()
        except BaseException:
            self.close()
            raise

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def cli(self, *args, check=True):
        return peers.run_cli(self.terraform, self.folder, self.env, *args, check=check, timeout=TIMEOUT)

    def reload(self):
        with open(os.path.join(self.folder, "terraform.tfstate"), encoding="utf-8") as f:
            self.state = json.load(f)

    def objects(self):
        """(address, type, attributes) of every object."""
        for r in self.state["resources"]:
            for i in r["instances"]:
                yield f"{r['type']}.{r['name']}", r["type"], i["attributes"]

    def attributes(self, address):
        return next(a for name, _, a in self.objects() if name == address)

    def references(self):
        """(address, address) for each reference that stands in the configuration."""
        found, current = set(), None
        for line in configuration(self.copies).splitlines():
            begin = re.match(r'resource "(\w+)" "(\w+)"', line)
            if begin:
                current = f"{begin[1]}.{begin[2]}"
            else:
                found |= {(current, other) for other in REFERENCE.findall(line)}
        return found

    def close(self):
        self.server.close()
