/*
 * Why hashicorp/awscc leaves types out, from its configuration, with its issue numbers (as of August 2026). Which types it has is
 * in translate_awscc_types.c.
 */
#include "translate/translate_private.h"

#include <stdlib.h>

struct reason {
    const char *cf_type; /* first member, for bsearch() */
    const char *text;
};

static int by_name(const void *key, const void *entry)
{
    return str_cmp(*(const struct str *)key, str_of(*(const char *const *)entry));
}

const char *awscc_reason(struct str cf_type)
{
    static const struct reason reasons[] = {
        {"AWS::ARCRegionSwitch::Plan", "unstated"},
        {"AWS::AmplifyUIBuilder::Component", "recursive #95"},
        {"AWS::AmplifyUIBuilder::Form", "recursive #95"},
        {"AWS::AmplifyUIBuilder::Theme", "recursive #95"},
        {"AWS::Bedrock::Flow", "unsupported:DefinitionSubstitutions:key-value map of typeless #1907"},
        {"AWS::BedrockAgentCore::Dataset", "unstated #3168"},
        {"AWS::BedrockAgentCore::GatewayTarget", "recursive #2817"},
        {"AWS::CleanRooms::IdNamespaceAssociation",
         "unsupported:InputReferenceProperties/IdMappingWorkflowsSupported:list of undefined schema #1933"},
        {"AWS::Cognito::UserPool", "name-clash:SmsMessage,SMSMessage #1520"},
        {"AWS::Connect::EvaluationForm", "recursive #95"},
        {"AWS::Connect::Rule", "unsupported:Actions/AssignContactCategoryActions:set of undefined schema #1510"},
        {"AWS::ControlTower::EnabledBaseline", "anyOf #98"},
        {"AWS::DataBrew::Recipe", "anyOf #98"},
        {"AWS::EMR::InstanceGroupConfig", "unstated"},
        {"AWS::EMRContainers::Endpoint", "unstated"},
        {"AWS::Glue::UsageProfile", "unsupported:Configuration/JobConfiguration:key-value map of typeless #2070"},
        {"AWS::IoTFleetWise::DecoderManifest", "unsupported:NetworkInterfaces:list of typeless #1515"},
        {"AWS::IoTSiteWise::ComputationModel", "recursive #2737"},
        {"AWS::IoTTwinMaker::ComponentType", "recursive #95"},
        {"AWS::IoTTwinMaker::Entity", "recursive #95"},
        {"AWS::Logs::Transformer", "unsupported:TransformerConfig/Csv/Columns:list of typeless #1515"},
        {"AWS::MPA::ApprovalTeam", "unsupported:Policies:set of typeless #1510"},
        {"AWS::MediaTailor::PlaybackConfiguration", "unsupported:ConfigurationAliases:typeless #1506"},
        {"AWS::NovaAct::WorkflowDefinition", "type-not-found #3105"},
        {"AWS::ObservabilityAdmin::TelemetryPipelines", "unstated"},
        {"AWS::OpenSearchServerless::Index", "recursive #95"},
        {"AWS::QBusiness::DataAccessor", "recursive #2134"},
        {"AWS::Rekognition::StreamProcessor", "unsupported:PolygonRegionsOfInterest:set of array #1516"},
        {"AWS::SageMaker::ModelCard", "unsupported:Content/EvaluationDetails/MetricGroups/MetricData:list of typeless #98"},
        {"AWS::SecurityHub::AutomationRule", "anyOf #98"},
        {"AWS::SecurityLake::Subscriber", "unsupported:Sources:list of typeless #1515"},
        {"AWS::Transfer::User", "unsupported:PosixProfile/SecondaryGids:number #2095"},
        {"AWS::VpcLattice::DomainVerification", "name-clash:value,Value #2901"},
        {"AWS::WAFv2::RuleGroup", "recursive #95"},
        {"AWS::WAFv2::WebACL", "recursive #95"},
        {"AWS::WorkSpaces::Workspace", "name-clash:WorkspaceId,Id #3021"},
    };
    const struct reason *found = bsearch(&cf_type, reasons, sizeof reasons / sizeof reasons[0], sizeof reasons[0], by_name);
    return found ? found->text : NULL;
}
