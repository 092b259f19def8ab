/*
 * What hashicorp/awscc decides by hand and not by rule: facts about that project (state of August 2026), which strict mode needs
 * to have its names and its gaps. Default mode takes none of the gaps.
 */
#include "cloudcontrol/translate_private.h"

#include <stdlib.h>

static int by_name(const void *key, const void *entry)
{
    return str_cmp(*(const struct str *)key, str_of(*(const char *const *)entry));
}

#define IS_AMONG(name, names) (bsearch(&(name), (names), sizeof(names) / sizeof(names)[0], sizeof(names)[0], by_name) != NULL)

/* Services whose objects belong to no region: their identity has none. */
bool awscc_is_global(struct str service)
{
    static const char *const services[] = {
        "BCMDataExports",
        "Billing",
        "BillingConductor",
        "Budgets",
        "CE",
        "CUR",
        "CloudFront",
        "GlobalAccelerator",
        "IAM",
        "NetworkManager",
        "Notifications",
        "NotificationsContacts",
        "Organizations",
        "RolesAnywhere",
        "Route53",
        "Route53RecoveryControl",
        "Route53RecoveryReadiness",
        "Shield",
    };
    return IS_AMONG(service, services);
}

/* Types whose schema is kept at an older state there. */
bool awscc_is_pinned(struct str cf_type)
{
    static const char *const types[] = {
        "AWS::AccessAnalyzer::Analyzer",
        "AWS::AppFlow::ConnectorProfile",
        "AWS::ControlTower::EnabledControl",
        "AWS::CustomerProfiles::Domain",
        "AWS::EC2::LaunchTemplate",
        "AWS::EC2::NetworkInsightsAnalysis",
        "AWS::EMRServerless::Application",
        "AWS::Lambda::Function",
        "AWS::Lex::Bot",
        "AWS::NimbleStudio::LaunchProfile",
        "AWS::NimbleStudio::StreamingImage",
        "AWS::NimbleStudio::Studio",
        "AWS::NimbleStudio::StudioComponent",
        "AWS::QuickSight::Analysis",
        "AWS::QuickSight::Dashboard",
        "AWS::QuickSight::DataSet",
        "AWS::QuickSight::Template",
        "AWS::StepFunctions::StateMachine",
    };
    return IS_AMONG(cf_type, types);
}

/* Whether there is a plural data source was decided when a type was new, and its schema has changed since. */
bool awscc_has_plural(struct str cf_type, bool by_rule)
{
    static const char *const present[] = {
        "AWS::ApiGatewayV2::Integration",
        "AWS::CertificateManager::AcmeExternalAccountBinding",
        "AWS::Chime::AppInstanceBot",
        "AWS::Connect::ContactFlowModuleVersion",
        "AWS::DAX::SubnetGroup",
        "AWS::DataSync::StorageSystem",
        "AWS::EC2::TransitGatewayMulticastDomainAssociation",
        "AWS::EC2::TransitGatewayMulticastGroupMember",
        "AWS::EC2::TransitGatewayMulticastGroupSource",
        "AWS::ElasticLoadBalancingV2::Listener",
        "AWS::ElasticLoadBalancingV2::ListenerRule",
        "AWS::IoT::SoftwarePackageVersion",
        "AWS::Lambda::LayerVersion",
        "AWS::Lambda::LayerVersionPermission",
        "AWS::Lex::BotAlias",
        "AWS::Lex::BotVersion",
        "AWS::Lex::ResourcePolicy",
        "AWS::MediaConnect::FlowEntitlement",
        "AWS::MediaConnect::FlowOutput",
        "AWS::MediaConnect::FlowSource",
        "AWS::MediaConnect::FlowVpcInterface",
        "AWS::NetworkFirewall::LoggingConfiguration",
        "AWS::NimbleStudio::Studio",
        "AWS::Notifications::ManagedNotificationAccountContactAssociation",
        "AWS::OpsWorksCM::Server",
        "AWS::QLDB::Stream",
        "AWS::QuickSight::RefreshSchedule",
        "AWS::SSO::Assignment",
        "AWS::SSO::InstanceAccessControlAttributeConfiguration",
        "AWS::SSO::PermissionSet",
        "AWS::ServiceCatalog::LaunchNotificationConstraint",
        "AWS::StepFunctions::StateMachine",
    };
    static const char *const absent[] = {
        "AWS::CloudFront::VpcOrigin",
        "AWS::ControlTower::EnabledBaseline",
        "AWS::DevOpsAgent::Service",
        "AWS::ImageBuilder::Component",
        "AWS::ImageBuilder::Image",
        "AWS::ImageBuilder::Workflow",
        "AWS::KinesisVideo::SignalingChannel",
        "AWS::KinesisVideo::Stream",
        "AWS::Logs::Transformer",
        "AWS::NovaAct::WorkflowDefinition",
        "AWS::ObservabilityAdmin::TelemetryPipelines",
        "AWS::QuickSight::Dashboard",
        "AWS::QuickSight::Template",
        "AWS::SSMContacts::Plan",
        "AWS::SSMGuiConnect::Preferences",
        "AWS::SSMQuickSetup::LifecycleAutomation",
        "AWS::SecurityHub::AutomationRule",
    };
    return by_rule ? !IS_AMONG(cf_type, absent) : IS_AMONG(cf_type, present);
}

/* The reasons that its configuration states, with the numbers of its issues. Most follow from our rules; the last two columns say
 * where they do not. */
const struct awscc_reason *awscc_reason(struct str cf_type)
{
    static const struct awscc_reason reasons[] = {
        /* reason, no resource, no singular data source */
        {"AWS::ARCRegionSwitch::Plan", "unstated", false, false},
        {"AWS::AmplifyUIBuilder::Component", "recursive #95", false, false},
        {"AWS::AmplifyUIBuilder::Form", "recursive #95", false, false},
        {"AWS::AmplifyUIBuilder::Theme", "recursive #95", false, false},
        {"AWS::Bedrock::Flow", "unsupported:DefinitionSubstitutions:map of typeless #1907", false, false},
        {"AWS::BedrockAgentCore::Dataset", "unstated #3168", false, false},
        {"AWS::BedrockAgentCore::GatewayTarget", "recursive #2817", false, false},
        {"AWS::CleanRooms::IdNamespaceAssociation",
         "unsupported:InputReferenceProperties/IdMappingWorkflowsSupported:list of typeless #1933", false, false},
        {"AWS::Cognito::UserPool", "name-clash:SmsMessage,SMSMessage #1520", false, false},
        {"AWS::Connect::EvaluationForm", "recursive #95", false, false},
        {"AWS::Connect::Rule", "unsupported:Actions/AssignContactCategoryActions:set of typeless #1510", false, false},
        {"AWS::ControlTower::EnabledBaseline", "anyOf #98", true, true},
        {"AWS::DataBrew::Recipe", "anyOf #98", true, true},
        {"AWS::EMR::InstanceGroupConfig", "unstated", false, false},
        {"AWS::EMRContainers::Endpoint", "unstated", false, false},
        {"AWS::Glue::UsageProfile", "unsupported:Configuration/JobConfiguration:map of typeless #2070", false, false},
        {"AWS::IoTFleetWise::DecoderManifest", "unsupported:NetworkInterfaces:list of typeless #1515", false, false},
        {"AWS::IoTSiteWise::ComputationModel", "recursive #2737", false, false},
        {"AWS::IoTTwinMaker::ComponentType", "recursive #95", false, false},
        {"AWS::IoTTwinMaker::Entity", "recursive #95", false, false},
        {"AWS::Logs::Transformer", "unsupported:TransformerConfig/Csv/Columns:list of typeless #1515", true, true},
        {"AWS::MPA::ApprovalTeam", "unsupported:Policies:set of typeless #1510", false, false},
        {"AWS::MediaTailor::PlaybackConfiguration", "unsupported:ConfigurationAliases:typeless #1506", false, false},
        {"AWS::NovaAct::WorkflowDefinition", "type-not-found #3105", true, false},
        {"AWS::ObservabilityAdmin::TelemetryPipelines", "unstated", true, true},
        {"AWS::OpenSearchServerless::Index", "recursive #95", false, false},
        {"AWS::QBusiness::DataAccessor", "recursive #2134", false, false},
        {"AWS::Rekognition::StreamProcessor", "unsupported:PolygonRegionsOfInterest:set of array #1516", false, false},
        {"AWS::SageMaker::ModelCard", "unsupported:Content/EvaluationDetails/MetricGroups/MetricData:list of typeless #98", false,
         false},
        {"AWS::SecurityHub::AutomationRule", "anyOf #98", true, true},
        {"AWS::SecurityLake::Subscriber", "unsupported:Sources:list of typeless #1515", false, false},
        {"AWS::Transfer::User", "unsupported:PosixProfile/SecondaryGids:number #2095", false, false},
        {"AWS::VpcLattice::DomainVerification", "name-clash:value,Value #2901", false, false},
        {"AWS::WAFv2::RuleGroup", "recursive #95", false, false},
        {"AWS::WAFv2::WebACL", "recursive #95", false, false},
        {"AWS::WorkSpaces::Workspace", "name-clash:WorkspaceId,Id #3021", false, false},
    };
    return bsearch(&cf_type, reasons, sizeof reasons / sizeof reasons[0], sizeof reasons[0], by_name);
}
