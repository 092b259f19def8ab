"""Changes behind terraform's back, of an account as aws_account.py makes it (copy 1). Run by the interpreter that has moto, for its boto3:

    python aws_changes.py http://127.0.0.1:PORT terraform.tfstate
"""
import json
import sys

import boto3

PLACE, STATE = sys.argv[1:3]
with open(STATE, encoding="utf-8") as f:
    OBJECTS = {f"{r['type']}.{r['name']}": i["attributes"] for r in json.load(f)["resources"] for i in r["instances"]}
DONE = []


def client(name):
    return boto3.client(name, endpoint_url=PLACE, region_name="us-east-1", aws_access_key_id="test", aws_secret_access_key="test")


def of(address, attribute="id"):
    DONE.append(address)
    return OBJECTS[address][attribute]


ec2, iam, s3, sqs = client("ec2"), client("iam"), client("s3"), client("sqs")
for address in ("aws_vpc.v1", "aws_subnet.a1", "aws_internet_gateway.g1", "aws_route_table.r1", "aws_network_acl.n1", "aws_eip.e1",
                "aws_security_group.web1", "aws_vpc_security_group_ingress_rule.h1"):
    ec2.create_tags(Resources=[of(address)], Tags=[{"Key": "behind", "Value": "x"}])
ec2.modify_subnet_attribute(SubnetId=of("aws_subnet.b1"), MapPublicIpOnLaunch={"Value": True})
ec2.authorize_security_group_ingress(GroupId=of("aws_security_group.db1"), IpProtocol="tcp", FromPort=22, ToPort=22, CidrIp="0.0.0.0/0")
ec2.disassociate_route_table(AssociationId=of("aws_route_table_association.a1"))
client("rds").add_tags_to_resource(ResourceName=of("aws_db_subnet_group.d1", "arn"), Tags=[{"Key": "behind", "Value": "x"}])
for address in ("aws_s3_bucket.logs1", "aws_s3_bucket.data1"):
    s3.put_bucket_tagging(Bucket=of(address), Tagging={"TagSet": [{"Key": "behind", "Value": "x"}]})
s3.put_bucket_versioning(Bucket=of("aws_s3_bucket_versioning.data1"), VersioningConfiguration={"Status": "Suspended"})
s3.put_public_access_block(Bucket=of("aws_s3_bucket_public_access_block.data1"), PublicAccessBlockConfiguration={
    "BlockPublicAcls": False, "IgnorePublicAcls": True, "BlockPublicPolicy": False, "RestrictPublicBuckets": True})
s3.put_bucket_ownership_controls(Bucket=of("aws_s3_bucket_ownership_controls.logs1"),
                                 OwnershipControls={"Rules": [{"ObjectOwnership": "BucketOwnerEnforced"}]})
s3.delete_bucket_policy(Bucket=of("aws_s3_bucket_policy.data1"))
iam.update_role(RoleName=of("aws_iam_role.app1"), Description="behind", MaxSessionDuration=7200)
policy = json.dumps({"Version": "2012-10-17", "Statement": [{"Effect": "Deny", "Action": "*", "Resource": "*"}]})
iam.create_policy_version(PolicyArn=of("aws_iam_policy.p1"), PolicyDocument=policy, SetAsDefault=True)
iam.put_role_policy(RoleName="app-1", PolicyName="inline-1", PolicyDocument=policy)
DONE.append("aws_iam_role_policy.inline1")
iam.detach_role_policy(RoleName="app-1", PolicyArn=of("aws_iam_role_policy_attachment.p1", "policy_arn"))
iam.tag_user(UserName=of("aws_iam_user.u1"), Tags=[{"Key": "behind", "Value": "x"}])
iam.remove_user_from_group(GroupName="group-1", UserName="user-1")
iam.delete_group(GroupName=of("aws_iam_group.g1"))
DONE.append("aws_iam_user_group_membership.u1")
iam.tag_instance_profile(InstanceProfileName=of("aws_iam_instance_profile.app1"), Tags=[{"Key": "behind", "Value": "x"}])
sqs.set_queue_attributes(QueueUrl=of("aws_sqs_queue.dead1"), Attributes={"VisibilityTimeout": "77"})
sqs.set_queue_attributes(QueueUrl=of("aws_sqs_queue.jobs1"), Attributes={"DelaySeconds": "7"})
client("sns").set_topic_attributes(TopicArn=of("aws_sns_topic.events1"), AttributeName="DisplayName", AttributeValue="behind")
client("sns").unsubscribe(SubscriptionArn=of("aws_sns_topic_subscription.jobs1"))
client("dynamodb").tag_resource(ResourceArn=of("aws_dynamodb_table.t1", "arn"), Tags=[{"Key": "behind", "Value": "x"}])
client("kms").update_key_description(KeyId=of("aws_kms_key.k1"), Description="behind")
client("kms").delete_alias(AliasName=of("aws_kms_alias.k1"))
client("logs").put_retention_policy(logGroupName=of("aws_cloudwatch_log_group.l1"), retentionInDays=30)
client("cloudwatch").tag_resource(ResourceARN=of("aws_cloudwatch_metric_alarm.a1", "arn"), Tags=[{"Key": "behind", "Value": "x"}])
client("events").put_rule(Name=of("aws_cloudwatch_event_rule.r1"), ScheduleExpression="rate(7 minutes)")
client("events").remove_targets(Rule="rule-1", Ids=["jobs"])
DONE.append("aws_cloudwatch_event_target.r1")
client("route53").update_hosted_zone_comment(Id=of("aws_route53_zone.z1", "zone_id"), Comment="behind")
client("route53").change_resource_record_sets(HostedZoneId=of("aws_route53_record.www1", "zone_id"), ChangeBatch={"Changes": [{
    "Action": "UPSERT", "ResourceRecordSet": {"Name": "www.z1.example.com", "Type": "A", "TTL": 77, "ResourceRecords": [{"Value": "10.0.0.9"}]}}]})
client("ecr").put_image_tag_mutability(repositoryName=of("aws_ecr_repository.e1"), imageTagMutability="IMMUTABLE")
client("ecs").tag_resource(resourceArn=of("aws_ecs_cluster.c1", "arn"), tags=[{"key": "behind", "value": "x"}])
for address, kind in (("aws_ssm_parameter.p1", "String"), ("aws_ssm_parameter.secret1", "SecureString")):
    client("ssm").put_parameter(Name=of(address), Value="behind secret", Type=kind, Overwrite=True)
client("secretsmanager").update_secret(SecretId=of("aws_secretsmanager_secret.s1"), Description="behind")
client("kinesis").increase_stream_retention_period(StreamName=of("aws_kinesis_stream.k1", "name"), RetentionPeriodHours=48)
print(json.dumps(sorted(set(DONE))))
