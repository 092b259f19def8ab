/*
 * Which types hashicorp/awscc has (commit f995d4f41396, August 2026), and what it has of each: decisions of its configuration
 * that cannot be derived from a schema. A type without flags has resource, singular and plural data source, and list resource;
 * otherwise flags after a colon say which it has: r s p l, and k if awscc intentionally keeps an older schema. In byte order.
 *
 * tests/scenario/cloudcontrol_tables compares this with the table it was made from.
 */
#include "translate/translate_private.h"

#include <stdlib.h>

struct service {
    const char *name; /* first member, for bsearch() */
    bool global;      /* its objects belong to no region */
    const char *types;
};

/* clang-format off */
static const struct service services[] = {
    {"ACMPCA", false, "Certificate:rs CertificateAuthority CertificateAuthorityActivation:rs Permission:rs"},
    {"AIOps", false, "InvestigationGroup"},
    {"APS", false, "AnomalyDetector:rs ResourcePolicy RuleGroupsNamespace:rs Scraper Workspace"},
    {"ARCRegionSwitch", false, "Plan:"},
    {"ARCZonalShift", false, "AutoshiftObserverNotificationStatus ZonalAutoshiftConfiguration"},
    {"AWSExternalAnthropic", false, "Workspace"},
    {"AccessAnalyzer", false, "Analyzer:rsplk"},
    {"AmazonMQ", false, "Broker:p Configuration"},
    {"Amplify", false, "App Branch:rs Domain"},
    {"AmplifyUIBuilder", false, "Component: Form: Theme:"},
    {"ApiGateway", false, "Account:rs ApiKey Authorizer:rs BasePathMapping:rs BasePathMappingV2:rs ClientCertificate"
     " Deployment:rs DocumentationPart:rs DocumentationVersion:rs DomainName DomainNameAccessAssociation DomainNameV2"
     " GatewayResponse:rs Method:rs Model:rs RequestValidator:rs Resource:rs RestApi Stage:rs UsagePlan"
     " UsagePlanKey:rs VpcLink"},
    {"ApiGatewayV2", false, "Api ApiMapping Authorizer:rs Deployment:rs DomainName Integration IntegrationResponse"
     " Model:rs Route:rs RouteResponse RoutingRule:rs Stage:rs VpcLink"},
    {"AppConfig", false, "Application ConfigurationProfile:rs Deployment:rs DeploymentStrategy Environment:rs"
     " Extension ExtensionAssociation HostedConfigurationVersion:rs"},
    {"AppFlow", false, "Connector ConnectorProfile:rsplk Flow"},
    {"AppIntegrations", false, "Application DataIntegration EventIntegration"},
    {"AppRunner", false, "AutoScalingConfiguration ObservabilityConfiguration Service VpcConnector"
     " VpcIngressConnection"},
    {"AppStream", false, "AppBlock:rs AppBlockBuilder Application:rs ApplicationEntitlementAssociation:rs"
     " ApplicationFleetAssociation:rs DirectoryConfig Entitlement:rs ImageBuilder Stack StackFleetAssociation:rs"
     " StackUserAssociation:rs"},
    {"AppSync", false, "Api ChannelNamespace:rs DataSource:rs DomainName DomainNameApiAssociation:rs"
     " FunctionConfiguration:rs GraphQLApi Resolver:rs SourceApiAssociation:rs"},
    {"AppTest", false, "TestCase"},
    {"ApplicationAutoScaling", false, "ScalableTarget ScalingPolicy:rs"},
    {"ApplicationInsights", false, "Application"},
    {"ApplicationSignals", false, "Discovery GroupingConfiguration ServiceLevelObjective"},
    {"Athena", false, "CapacityReservation DataCatalog NamedQuery PreparedStatement:rs WorkGroup"},
    {"AuditManager", false, "Assessment AssessmentFramework"},
    {"AutoScaling", false, "AutoScalingGroup LaunchConfiguration LifecycleHook ScalingPolicy ScheduledAction"
     " WarmPool:rs"},
    {"B2BI", false, "Capability Partnership Profile Transformer"},
    {"BCM", false, "Dashboard:"},
    {"BCMDataExports", true, "Export"},
    {"Backup", false, "BackupPlan BackupSelection BackupVault Framework LegalHold LogicallyAirGappedBackupVault"
     " ReportPlan RestoreTestingPlan RestoreTestingSelection TieringConfiguration"},
    {"BackupGateway", false, "Hypervisor"},
    {"Batch", false, "ComputeEnvironment ConsumableResource JobDefinition JobQueue QuotaShare SchedulingPolicy"
     " ServiceEnvironment"},
    {"BcmPricingCalculator", false, "BillScenario"},
    {"Bedrock", false, "Agent AgentAlias:rs ApplicationInferenceProfile AutomatedReasoningPolicy"
     " AutomatedReasoningPolicyVersion Blueprint DataAutomationLibrary DataAutomationProject DataSource:rs"
     " EnforcedGuardrailConfiguration Flow: FlowAlias:rs FlowVersion:rs Guardrail GuardrailVersion:rs"
     " IntelligentPromptRouter KnowledgeBase KnowledgeBasePolicy:rs Prompt PromptVersion:rs ResourcePolicy:rs"},
    {"BedrockAgentCore", false, "ApiKeyCredentialProvider BrowserCustom BrowserProfile CodeInterpreterCustom"
     " ConfigurationBundle Dataset: Evaluator Gateway GatewayTarget: Harness HarnessEndpoint:rs Memory"
     " OAuth2CredentialProvider OnlineEvaluationConfig PaymentConnector:rs PaymentCredentialProvider PaymentManager"
     " Policy:rs PolicyEngine ResourcePolicy:rs Runtime RuntimeEndpoint:rs WorkloadIdentity"},
    {"BedrockMantle", false, "Project"},
    {"Billing", true, "BillingView"},
    {"BillingConductor", true, "BillingGroup CustomLineItem PricingPlan PricingRule"},
    {"Braket", false, "SpendingLimit"},
    {"Budgets", true, "BudgetsAction"},
    {"CE", true, "AnomalyMonitor AnomalySubscription CostCategory"},
    {"CUR", true, "ReportDefinition"},
    {"Cases", false, "CaseRule:rs Domain Field:rs Layout:rs Template:rs"},
    {"Cassandra", false, "Keyspace Table Type"},
    {"CertificateManager", false, "Account:rs AcmeDomainValidation:rs AcmeEndpoint AcmeExternalAccountBinding"
     " Certificate"},
    {"Chatbot", false, "CustomAction MicrosoftTeamsChannelConfiguration SlackChannelConfiguration"},
    {"Chime", false, "AppInstance AppInstanceBot"},
    {"CleanRooms", false, "AnalysisTemplate:rs Collaboration ConfiguredTable ConfiguredTableAssociation:rs"
     " IdMappingTable:rs IdNamespaceAssociation: IntermediateTable:rs Membership PrivacyBudgetTemplate:rs"},
    {"CleanRoomsML", false, "ConfiguredModelAlgorithm ConfiguredModelAlgorithmAssociation TrainingDataset"},
    {"CloudFormation", false, "GeneratedTemplate GuardHook HookDefaultVersion HookTypeConfig HookVersion LambdaHook"
     " ModuleDefaultVersion ModuleVersion:rs PublicTypeVersion Publisher ResourceDefaultVersion ResourceVersion Stack"
     " StackSet TypeActivation"},
    {"CloudFront", true, "AnycastIpList:p CachePolicy CloudFrontOriginAccessIdentity ConnectionFunction"
     " ConnectionGroup ContinuousDeploymentPolicy Distribution:p DistributionTenant Function KeyGroup KeyValueStore"
     " MonitoringSubscription:rs OriginAccessControl OriginRequestPolicy PublicKey RealtimeLogConfig"
     " ResponseHeadersPolicy TrustStore VpcOrigin:rs"},
    {"CloudTrail", false, "Channel Dashboard EventDataStore ResourcePolicy:rs Trail"},
    {"CloudWatch", false, "Alarm AlarmMuteRule CompositeAlarm Dashboard InsightRule LogAlarm MetricStream"
     " OTelEnrichment"},
    {"CodeArtifact", false, "Domain PackageGroup:rs Repository"},
    {"CodeBuild", false, "Fleet"},
    {"CodeConnections", false, "Connection"},
    {"CodeDeploy", false, "Application DeploymentConfig DeploymentGroup:rs"},
    {"CodeGuruProfiler", false, "ProfilingGroup"},
    {"CodeGuruReviewer", false, "RepositoryAssociation"},
    {"CodePipeline", false, "CustomActionType Pipeline Webhook"},
    {"CodeStarConnections", false, "Connection RepositoryLink SyncConfiguration"},
    {"CodeStarNotifications", false, "NotificationRule"},
    {"Cognito", false, "IdentityPool IdentityPoolPrincipalTag:rs IdentityPoolRoleAttachment:rs"
     " LogDeliveryConfiguration:rs ManagedLoginBranding:rs Terms:rs UserPool: UserPoolClient:rs UserPoolDomain:rs"
     " UserPoolGroup:rs UserPoolIdentityProvider:rs UserPoolRegionalConfigurationAttachment:rs UserPoolReplica:rs"
     " UserPoolResourceServer:rs UserPoolRiskConfigurationAttachment:rs UserPoolUICustomizationAttachment:rs"
     " UserPoolUser:rs UserPoolUserToGroupAttachment:rs"},
    {"Comprehend", false, "DocumentClassifier Flywheel"},
    {"ComputeOptimizer", false, "AutomationRule"},
    {"Config", false, "AggregationAuthorization ConfigRule ConfigurationAggregator ConformancePack Connector"
     " OrganizationConformancePack RemediationConfiguration StoredQuery"},
    {"Connect", false, "AgentStatus:rs ApprovedOrigin ContactFlow:rs ContactFlowModule:rs ContactFlowModuleAlias:rs"
     " ContactFlowModuleVersion ContactFlowVersion:rs DataLakeAssociation:rs DataTable:rs DataTableAttribute:rs"
     " DataTableRecord:rs EmailAddress:rs EvaluationForm: HoursOfOperation:rs Instance InstanceStorageConfig"
     " IntegrationAssociation:rs Notification:rs PhoneNumber:rs PredefinedAttribute:rs Prompt:rs Queue:rs"
     " QuickConnect:rs RoutingProfile:rs Rule: SecurityKey SecurityProfile:rs TaskTemplate:rs TestCase:rs"
     " TrafficDistributionGroup User:rs UserHierarchyGroup:rs UserHierarchyStructure:rs View:rs ViewVersion:rs"
     " Workspace"},
    {"ConnectCampaigns", false, "Campaign"},
    {"ConnectCampaignsV2", false, "Campaign:rs"},
    {"ControlTower", false, "EnabledBaseline: EnabledControl:rsk LandingZone"},
    {"CustomerProfiles", false, "CalculatedAttributeDefinition:rs Domain:rsk DomainObjectType:rs EventStream:rs"
     " EventTrigger:rs Integration:rs ObjectType:rs Recommender SegmentDefinition:rs"},
    {"DAX", false, "SubnetGroup"},
    {"DMS", false, "Certificate DataMigration DataProvider Endpoint EventSubscription InstanceProfile"
     " MigrationProject ReplicationConfig"},
    {"DSQL", false, "Cluster"},
    {"DataBrew", false, "Dataset Job Project Recipe:p Ruleset Schedule"},
    {"DataPipeline", false, "Pipeline"},
    {"DataSync", false, "Agent LocationAzureBlob LocationEFS LocationFSxLustre LocationFSxONTAP LocationFSxOpenZFS"
     " LocationFSxWindows LocationHDFS LocationNFS LocationObjectStorage LocationS3 LocationSMB StorageSystem Task"},
    {"DataZone", false, "Connection:rs DataSource:rs Domain DomainUnit:rs Environment:rs EnvironmentActions:rs"
     " EnvironmentBlueprintConfiguration:rs EnvironmentProfile:rs FormType:rs GroupProfile:rs Owner:rs PolicyGrant"
     " Project:rs ProjectMembership:rs ProjectProfile SubscriptionTarget:rs UserProfile:rs"},
    {"Deadline", false, "Farm Fleet:rs LicenseEndpoint Limit:rs MeteredProduct:rs Monitor Queue:rs"
     " QueueEnvironment:rs QueueFleetAssociation:rs QueueLimitAssociation:rs StorageProfile:rs"},
    {"Detective", false, "Graph MemberInvitation OrganizationAdmin"},
    {"DevOpsAgent", false, "AgentSpace Association:rs PrivateConnection Service:rs"},
    {"DevOpsGuru", false, "LogAnomalyDetectionIntegration NotificationChannel ResourceCollection"},
    {"DirectConnect", false, "Connection DirectConnectGateway DirectConnectGatewayAssociation:rs Lag"
     " PrivateVirtualInterface PublicVirtualInterface TransitVirtualInterface"},
    {"DirectoryService", false, "SimpleAD"},
    {"DocDB", false, "EventSubscription GlobalCluster"},
    {"DocDBElastic", false, "Cluster"},
    {"DynamoDB", false, "GlobalTable Table"},
    {"EC2", false, "CapacityManagerDataExport CapacityReservation CapacityReservationFleet CarrierGateway"
     " CustomerGateway DHCPOptions EC2Fleet EIP EIPAssociation EgressOnlyInternetGateway"
     " EnclaveCertificateIamRoleAssociation FlowLog GatewayRouteTableAssociation:rs Host IPAM IPAMAllocation:rs"
     " IPAMPool IPAMPoolCidr:rs IPAMPrefixListResolver IPAMPrefixListResolverTarget IPAMResourceDiscovery"
     " IPAMResourceDiscoveryAssociation IPAMScope Instance InstanceConnectEndpoint InternetGateway"
     " IpPoolRouteTableAssociation KeyPair LaunchTemplate:rsplk LocalGatewayRoute LocalGatewayRouteTable"
     " LocalGatewayRouteTableVPCAssociation LocalGatewayRouteTableVirtualInterfaceGroupAssociation"
     " LocalGatewayVirtualInterface LocalGatewayVirtualInterfaceGroup NatGateway NetworkAcl"
     " NetworkInsightsAccessScope NetworkInsightsAccessScopeAnalysis NetworkInsightsAnalysis:rsplk"
     " NetworkInsightsPath NetworkInterface NetworkInterfaceAttachment NetworkPerformanceMetricSubscription"
     " PlacementGroup PrefixList Route:rs RouteServer RouteServerAssociation RouteServerEndpoint RouteServerPeer"
     " RouteServerPropagation RouteTable SecurityGroup SecurityGroupEgress SecurityGroupIngress"
     " SecurityGroupVpcAssociation SnapshotBlockPublicAccess SpotFleet SqlHaStandbyDetectedInstance Subnet"
     " SubnetCidrBlock SubnetNetworkAclAssociation SubnetRouteTableAssociation TrafficMirrorFilter"
     " TrafficMirrorFilterRule TrafficMirrorSession TrafficMirrorTarget TransitGateway TransitGatewayAttachment"
     " TransitGatewayConnect TransitGatewayConnectPeer TransitGatewayMeteringPolicy"
     " TransitGatewayMeteringPolicyEntry:rs TransitGatewayMulticastDomain TransitGatewayMulticastDomainAssociation"
     " TransitGatewayMulticastGroupMember TransitGatewayMulticastGroupSource TransitGatewayPeeringAttachment"
     " TransitGatewayPolicyTable TransitGatewayPolicyTableAssociation:rs TransitGatewayPolicyTableEntry:rs"
     " TransitGatewayRoute:rs TransitGatewayRouteTable TransitGatewayRouteTableAssociation:rs"
     " TransitGatewayRouteTablePropagation:rs TransitGatewayVpcAttachment VPC VPCBlockPublicAccessExclusion"
     " VPCBlockPublicAccessOptions:rs VPCCidrBlock:rs VPCDHCPOptionsAssociation VPCEncryptionControl VPCEndpoint"
     " VPCEndpointConnectionNotification VPCEndpointService VPCEndpointServicePermissions VPCGatewayAttachment"
     " VPCPeeringConnection VPNConcentrator VPNConnection VPNConnectionRoute VPNGateway VerifiedAccessEndpoint"
     " VerifiedAccessGroup VerifiedAccessInstance VerifiedAccessTrustProvider Volume VolumeAttachment"},
    {"ECR", false, "PublicRepository PullThroughCacheRule PullTimeUpdateExclusion RegistryPolicy"
     " RegistryScanningConfiguration ReplicationConfiguration Repository RepositoryCreationTemplate"
     " SigningConfiguration"},
    {"ECS", false, "CapacityProvider Cluster ClusterCapacityProviderAssociations Daemon ExpressGatewayService:rs"
     " PrimaryTaskSet:rs Service TaskDefinition TaskSet:rs"},
    {"EFS", false, "AccessPoint FileSystem MountTarget:rs"},
    {"EKS", false, "AccessEntry:rs Addon:rs Capability:rs Cluster FargateProfile:rs IdentityProviderConfig:rs"
     " Nodegroup: PodIdentityAssociation:rs"},
    {"EMR", false, "InstanceGroupConfig: SecurityConfiguration Step:rs Studio StudioSessionMapping WALWorkspace"},
    {"EMRContainers", false, "Endpoint: SecurityConfiguration:p VirtualCluster:p"},
    {"EMRServerless", false, "Application:rsplk"},
    {"EVS", false, "Environment"},
    {"ElastiCache", false, "CacheCluster GlobalReplicationGroup ParameterGroup ReplicationGroup ServerlessCache"
     " SubnetGroup User UserGroup"},
    {"ElasticBeanstalk", false, "Application ApplicationVersion ConfigurationTemplate Environment"},
    {"ElasticLoadBalancing", false, "LoadBalancer"},
    {"ElasticLoadBalancingV2", false, "Listener ListenerRule LoadBalancer TargetGroup TrustStore"
     " TrustStoreRevocation:rs"},
    {"ElementalInference", false, "Dictionary Feed"},
    {"EntityResolution", false, "IdMappingWorkflow IdNamespace MatchingWorkflow PolicyStatement:rs SchemaMapping"},
    {"EventSchemas", false, "Discoverer Registry RegistryPolicy:rs Schema:rs"},
    {"Events", false, "ApiDestination Archive Connection Endpoint EventBus EventBusPolicy Rule"},
    {"Evidently", false, "Experiment:rs Feature:rs Launch:rs Project:rs Segment"},
    {"FIS", false, "ExperimentTemplate TargetAccountConfiguration:rs"},
    {"FMS", false, "NotificationChannel Policy ResourceSet"},
    {"FSx", false, "DataRepositoryAssociation S3AccessPointAttachment"},
    {"FinSpace", false, "Environment"},
    {"Forecast", false, "Dataset DatasetGroup"},
    {"FraudDetector", false, "Detector EntityType EventType Label List Outcome Variable"},
    {"GameLift", false, "Alias Build ContainerFleet ContainerGroupDefinition Fleet GameServerGroup GameSessionQueue"
     " Location MatchmakingConfiguration MatchmakingRuleSet Script"},
    {"GlobalAccelerator", true, "Accelerator CrossAccountAttachment EndpointGroup Listener"},
    {"Glue", false, "Blueprint Catalog Crawler DataCatalogEncryptionSettings:rs Database"
     " IdentityCenterConfiguration:rs Integration IntegrationResourceProperty Job Registry Schema SchemaVersion:rs"
     " SchemaVersionMetadata:rs Trigger UsageProfile: UserDefinedFunction:rs Workflow"},
    {"Grafana", false, "Workspace"},
    {"GreengrassV2", false, "ComponentVersion:rs Deployment"},
    {"GroundStation", false, "Config DataflowEndpointGroup DataflowEndpointGroupV2 MissionProfile"},
    {"GuardDuty", false, "Detector Filter IPSet MalwareProtectionPlan Master Member PublishingDestination"
     " ThreatEntitySet ThreatIntelSet TrustedEntitySet"},
    {"HealthImaging", false, "Datastore"},
    {"HealthLake", false, "DataTransformationProfile:rs FHIRDatastore"},
    {"IAM", true, "Group GroupPolicy:rs InstanceProfile ManagedPolicy OIDCProvider Role RolePolicy:rs SAMLProvider"
     " ServerCertificate ServiceLinkedRole:rs User UserPolicy:rs VirtualMFADevice"},
    {"IVS", false, "Channel EncoderConfiguration IngestConfiguration PlaybackKeyPair PlaybackRestrictionPolicy"
     " PublicKey RecordingConfiguration Stage StorageConfiguration StreamKey:rs"},
    {"IVSChat", false, "LoggingConfiguration Room"},
    {"IdentityStore", false, "Group:rs GroupMembership:rs"},
    {"ImageBuilder", false, "Component:rs ContainerRecipe DistributionConfiguration Image:rs ImagePipeline"
     " ImageRecipe InfrastructureConfiguration LifecyclePolicy Workflow:rs"},
    {"Inspector", false, "AssessmentTarget AssessmentTemplate ResourceGroup:rs"},
    {"InspectorV2", false, "CisScanConfiguration CodeSecurityIntegration CodeSecurityScanConfiguration Filter"},
    {"Interconnect", false, "Connection"},
    {"InternetMonitor", false, "Monitor"},
    {"Invoicing", false, "InvoiceUnit"},
    {"IoT", false, "AccountAuditConfiguration Authorizer BillingGroup CACertificate Certificate CertificateProvider"
     " Command CustomMetric Dimension DomainConfiguration EncryptionConfiguration FleetMetric JobTemplate Logging"
     " MitigationAction Policy ProvisioningTemplate ResourceSpecificLogging RoleAlias ScheduledAudit SecurityProfile"
     " SoftwarePackage SoftwarePackageVersion Thing ThingGroup ThingType TopicRule TopicRuleDestination"},
    {"IoTAnalytics", false, "Channel Dataset Datastore Pipeline"},
    {"IoTCoreDeviceAdvisor", false, "SuiteDefinition"},
    {"IoTEvents", false, "AlarmModel DetectorModel Input"},
    {"IoTFleetHub", false, "Application"},
    {"IoTFleetWise", false, "Campaign DecoderManifest: Fleet ModelManifest SignalCatalog StateTemplate Vehicle"},
    {"IoTSiteWise", false, "AccessPolicy Asset AssetModel ComputationModel: Dashboard Dataset Gateway Portal Project"},
    {"IoTTwinMaker", false, "ComponentType: Entity: Scene:rs SyncJob:rs Workspace"},
    {"IoTWireless", false, "Destination DeviceProfile FuotaTask MulticastGroup NetworkAnalyzerConfiguration"
     " PartnerAccount ServiceProfile TaskDefinition WirelessDevice WirelessDeviceImportTask WirelessGateway"},
    {"KMS", false, "Alias Key ReplicaKey"},
    {"KafkaConnect", false, "Connector CustomPlugin WorkerConfiguration"},
    {"Kendra", false, "DataSource Faq Index"},
    {"KendraRanking", false, "ExecutionPlan"},
    {"Kinesis", false, "ResourcePolicy:rs Stream StreamConsumer"},
    {"KinesisAnalyticsV2", false, "Application"},
    {"KinesisFirehose", false, "DeliveryStream"},
    {"KinesisVideo", false, "SignalingChannel:rs Stream:rs"},
    {"LakeFormation", false, "DataCellsFilter PrincipalPermissions:rs Tag TagAssociation:rs"},
    {"Lambda", false, "Alias:rs CapacityProvider CodeSigningConfig EventInvokeConfig:rs EventSourceMapping"
     " Function:rsplk LayerVersion LayerVersionPermission MicrovmImage NetworkConnector Permission:rs Url:rs"
     " Version:rs"},
    {"LaunchWizard", false, "Deployment"},
    {"Lex", false, "Bot:rsplk BotAlias BotVersion ResourcePolicy"},
    {"LicenseManager", false, "Grant License LicenseAssetRuleSet"},
    {"Lightsail", false, "Alarm Bucket Certificate Container Database DatabaseSnapshot Disk DiskSnapshot Distribution"
     " Domain Instance InstanceSnapshot LoadBalancer LoadBalancerTlsCertificate StaticIp"},
    {"Location", false, "APIKey GeofenceCollection Map PlaceIndex RouteCalculator Tracker TrackerConsumer"},
    {"Logs", false, "AccountPolicy:rs Delivery DeliveryDestination DeliverySource Destination Integration"
     " LogAnomalyDetector LogGroup LogStream:rs MetricFilter QueryDefinition ResourcePolicy ScheduledQuery"
     " SubscriptionFilter:rs Transformer:"},
    {"LookoutEquipment", false, "InferenceScheduler"},
    {"LookoutMetrics", false, "Alert AnomalyDetector"},
    {"LookoutVision", false, "Project"},
    {"M2", false, "Application Deployment:rs Environment"},
    {"MPA", false, "ApprovalTeam: IdentitySource"},
    {"MSK", false, "BatchScramSecret:rs Channel Cluster ClusterPolicy:rs Configuration Replicator ServerlessCluster"
     " Topic VpcConnection"},
    {"MWAA", false, "Environment"},
    {"MWAAServerless", false, "Workflow"},
    {"Macie", false, "AllowList CustomDataIdentifier FindingsFilter Session"},
    {"ManagedBlockchain", false, "Accessor"},
    {"MediaConnect", false, "Bridge BridgeOutput:rs BridgeSource:rs Flow FlowEntitlement FlowOutput FlowSource"
     " FlowVpcInterface:rs Gateway RouterInput RouterNetworkInterface RouterOutput"},
    {"MediaConvert", false, "Preset"},
    {"MediaLive", false, "ChannelPlacementGroup:rs CloudWatchAlarmTemplate CloudWatchAlarmTemplateGroup Cluster"
     " EventBridgeRuleTemplate EventBridgeRuleTemplateGroup Multiplex Multiplexprogram:rs Network Node:rs SdiSource"
     " SignalMap"},
    {"MediaPackage", false, "Asset Channel:p OriginEndpoint:p PackagingConfiguration PackagingGroup"},
    {"MediaPackageV2", false, "Channel:rs ChannelGroup ChannelPolicy:rs OriginEndpoint:rs OriginEndpointPolicy:rs"},
    {"MediaTailor", false, "Channel ChannelPolicy:rs LiveSource:rs PlaybackConfiguration: SourceLocation VodSource:rs"},
    {"MemoryDB", false, "ACL Cluster MultiRegionCluster ParameterGroup SubnetGroup User"},
    {"Neptune", false, "DBCluster DBClusterParameterGroup DBInstance DBParameterGroup DBSubnetGroup EventSubscription"
     " GlobalCluster"},
    {"NeptuneGraph", false, "Graph GraphSnapshot PrivateGraphEndpoint"},
    {"NetworkFirewall", false, "Firewall FirewallPolicy LoggingConfiguration RuleGroup TLSInspectionConfiguration"
     " VpcEndpointAssociation"},
    {"NetworkFlowMonitor", false, "Monitor"},
    {"NetworkManager", true, "ConnectAttachment ConnectPeer CoreNetwork CoreNetworkPrefixListAssociation:rs"
     " CustomerGatewayAssociation:rs Device:rs DirectConnectGatewayAttachment GlobalNetwork Link:rs"
     " LinkAssociation:rs Site:rs SiteToSiteVpnAttachment TransitGatewayPeering TransitGatewayRegistration:rs"
     " TransitGatewayRouteTableAttachment VpcAttachment"},
    {"NimbleStudio", false, "LaunchProfile:rsk StreamingImage:rsk Studio:rsplk StudioComponent:rsk"},
    {"Notifications", true, "ChannelAssociation:rs EventRule:rs ManagedNotificationAccountContactAssociation"
     " ManagedNotificationAdditionalChannelAssociation:rs NotificationConfiguration NotificationHub"
     " OrganizationalUnitAssociation:rs"},
    {"NotificationsContacts", true, "EmailContact"},
    {"NovaAct", false, "WorkflowDefinition:s"},
    {"ODB", false, "CloudAutonomousVmCluster CloudExadataInfrastructure CloudVmCluster OdbNetwork"
     " OdbPeeringConnection"},
    {"OSIS", false, "Pipeline"},
    {"Oam", false, "Link Sink"},
    {"ObservabilityAdmin", false, "OrganizationCentralizationRule OrganizationTelemetryRule S3TableIntegration"
     " TelemetryEnrichment TelemetryPipelines: TelemetryRule"},
    {"Omics", false, "AnnotationStore Configuration ReferenceStore RunGroup SequenceStore VariantStore Workflow"
     " WorkflowVersion"},
    {"OpenSearchServerless", false, "AccessPolicy:rs Collection CollectionGroup CollectionIndex:rs Index:"
     " LifecyclePolicy:rs SecurityConfig:rs SecurityPolicy:rs VpcEndpoint"},
    {"OpenSearchService", false, "Application Domain:rs"},
    {"OpsWorksCM", false, "Server"},
    {"Organizations", true, "Account Organization OrganizationalUnit:rs Policy:rs ResourcePolicy"},
    {"Outposts", false, "Site"},
    {"PCAConnectorAD", false, "Connector DirectoryRegistration ServicePrincipalName:rs Template:rs"
     " TemplateGroupAccessControlEntry:rs"},
    {"PCAConnectorSCEP", false, "Challenge:rs Connector"},
    {"PCS", false, "Cluster ComputeNodeGroup:rs Queue:rs"},
    {"Panorama", false, "ApplicationInstance Package PackageVersion:rs"},
    {"PaymentCryptography", false, "Alias Key"},
    {"Personalize", false, "Dataset DatasetGroup Schema Solution"},
    {"Pinpoint", false, "InAppTemplate"},
    {"Pipes", false, "Pipe"},
    {"Proton", false, "EnvironmentAccountConnection EnvironmentTemplate ServiceTemplate"},
    {"QBusiness", false, "Application DataAccessor: DataSource:rs Index:rs Permission:rs Plugin:rs Retriever:rs"
     " WebExperience:rs"},
    {"QLDB", false, "Stream"},
    {"QuickSight", false, "ActionConnector Agent:rs Analysis:rsplk CustomPermissions Dashboard:rsk DataSet:rsplk"
     " DataSource Folder KnowledgeBase OAuthClientApplication RefreshSchedule Space:rs Template:rsk Theme:rs Topic"
     " TopicV2 VPCConnection"},
    {"RAM", false, "Permission ResourceShare"},
    {"RDS", false, "CustomDBEngineVersion DBCluster DBClusterParameterGroup DBInstance DBParameterGroup DBProxy"
     " DBProxyEndpoint DBProxyTargetGroup DBShardGroup DBSubnetGroup EventSubscription GlobalCluster Integration"
     " OptionGroup"},
    {"RTBFabric", false, "InboundExternalLink:rs Link:rs LinkRoutingRule:rs OutboundExternalLink:rs RequesterGateway"
     " ResponderGateway"},
    {"RUM", false, "AppMonitor"},
    {"Rbin", false, "Rule:rs"},
    {"Redshift", false, "Cluster ClusterParameterGroup ClusterSubnetGroup EndpointAccess EndpointAuthorization"
     " EventSubscription Integration ScheduledAction SnapshotSchedule"},
    {"RedshiftServerless", false, "Namespace Snapshot Workgroup"},
    {"RefactorSpaces", false, "Application:rs Environment Route:rs Service:rs"},
    {"Rekognition", false, "Collection Project StreamProcessor:"},
    {"ResilienceHub", false, "App ResiliencyPolicy"},
    {"ResilienceHubV2", false, "Policy Service ServiceFunction:rs System UserJourney:rs"},
    {"ResourceExplorer2", false, "DefaultViewAssociation:rs Index View"},
    {"ResourceGroups", false, "Group TagSyncTask"},
    {"RoboMaker", false, "Fleet Robot RobotApplication RobotApplicationVersion:rs SimulationApplication"
     " SimulationApplicationVersion:rs"},
    {"RolesAnywhere", true, "CRL Profile TrustAnchor"},
    {"Route53", true, "CidrCollection DNSSEC HealthCheck HostedZone KeySigningKey RecordSet:rs"},
    {"Route53GlobalResolver", false, "AccessSource:rs AccessToken:rs DnsView:rs FirewallDomainList FirewallRule:rs"
     " GlobalResolver HostedZoneAssociation:rs"},
    {"Route53Profiles", false, "Profile ProfileAssociation ProfileResourceAssociation:rs"},
    {"Route53RecoveryControl", true, "Cluster ControlPanel RoutingControl:rs SafetyRule:rs"},
    {"Route53RecoveryReadiness", true, "Cell ReadinessCheck RecoveryGroup ResourceSet"},
    {"Route53Resolver", false, "FirewallDomainList FirewallRuleGroup FirewallRuleGroupAssociation OutpostResolver"
     " ResolverConfig ResolverDNSSECConfig ResolverEndpoint ResolverQueryLoggingConfig"
     " ResolverQueryLoggingConfigAssociation ResolverRule ResolverRuleAssociation"},
    {"S3", false, "AccessGrant AccessGrantsInstance AccessGrantsLocation AccessPoint Bucket BucketPolicy"
     " MultiRegionAccessPoint MultiRegionAccessPointPolicy StorageLens StorageLensGroup"},
    {"S3Express", false, "AccessPoint BucketPolicy DirectoryBucket"},
    {"S3Files", false, "AccessPoint:rs FileSystem FileSystemPolicy MountTarget:rs"},
    {"S3ObjectLambda", false, "AccessPoint AccessPointPolicy:rs"},
    {"S3Outposts", false, "AccessPoint Bucket:rs BucketPolicy:rs Endpoint"},
    {"S3Tables", false, "Namespace:rs Table:rs TableBucket TableBucketPolicy TablePolicy:rs"},
    {"S3Vectors", false, "Index:rs VectorBucket VectorBucketPolicy"},
    {"SCN", false, "Dataset:rs Namespace:rs"},
    {"SES", false, "ConfigurationSet ConfigurationSetEventDestination:rs ContactList CustomVerificationEmailTemplate"
     " DedicatedIpPool EmailIdentity MailManagerAddonInstance MailManagerAddonSubscription MailManagerAddressList"
     " MailManagerArchive MailManagerIngressPoint MailManagerRelay MailManagerRuleSet MailManagerTrafficPolicy"
     " MultiRegionEndpoint Template Tenant VdmAttributes:rs"},
    {"SMSVOICE", false, "ConfigurationSet OptOutList PhoneNumber Pool ProtectConfiguration Registration"
     " ResourcePolicy SenderId"},
    {"SNS", false, "Subscription Topic TopicInlinePolicy:rs"},
    {"SQS", false, "Queue QueueInlinePolicy:rs"},
    {"SSM", false, "Association Document MaintenanceWindow MaintenanceWindowTarget:rs MaintenanceWindowTask:rs"
     " OpsItem Parameter PatchBaseline ResourceDataSync ResourcePolicy ServiceSetting:rs"},
    {"SSMContacts", false, "Contact ContactChannel Plan:rs Rotation"},
    {"SSMGuiConnect", false, "Preferences:rs"},
    {"SSMIncidents", false, "ReplicationSet ResponsePlan"},
    {"SSMQuickSetup", false, "ConfigurationManager LifecycleAutomation:rs"},
    {"SSO", false, "Application:rs ApplicationAssignment Assignment Instance"
     " InstanceAccessControlAttributeConfiguration PermissionSet"},
    {"SageMaker", false, "Action Algorithm App AppImageConfig Cluster Context DataQualityJobDefinition Device:rs"
     " DeviceFleet:rs Domain Endpoint Experiment ExperimentTrialComponent FeatureGroup Hub Image ImageVersion:rs"
     " InferenceComponent InferenceExperiment MlflowApp MlflowTrackingServer Model ModelBiasJobDefinition ModelCard:"
     " ModelExplainabilityJobDefinition ModelPackage ModelPackageGroup ModelQualityJobDefinition MonitoringSchedule"
     " PartnerApp Pipeline ProcessingJob Project Space StudioLifecycleConfig TrialComponent UserProfile"},
    {"Scheduler", false, "Schedule ScheduleGroup"},
    {"SecretsManager", false, "ResourcePolicy RotationSchedule Secret SecretTargetAttachment"},
    {"SecurityAgent", false, "AgentSpace Application Pentest:rs SecurityRequirementPack TargetDomain"},
    {"SecurityHub", false, "AggregatorV2 AutomationRule: AutomationRuleV2 ConfigurationPolicy Connector ConnectorV2"
     " DelegatedAdmin FindingAggregator Hub HubV2 Insight OrganizationConfiguration PolicyAssociation"
     " ProductSubscription SecurityControl Standard"},
    {"SecurityLake", false, "AwsLogSource DataLake Subscriber: SubscriberNotification"},
    {"ServiceCatalog", false, "AcceptedPortfolioShare CloudFormationProduct CloudFormationProvisionedProduct:rs"
     " LaunchNotificationConstraint LaunchRoleConstraint:rs LaunchTemplateConstraint:rs Portfolio"
     " PortfolioPrincipalAssociation:rs PortfolioProductAssociation:rs PortfolioShare:rs ResourceUpdateConstraint:rs"
     " ServiceAction ServiceActionAssociation:rs StackSetConstraint:rs TagOption TagOptionAssociation:rs"},
    {"ServiceCatalogAppRegistry", false, "Application AttributeGroup AttributeGroupAssociation:rs"
     " ResourceAssociation:rs"},
    {"ServiceDiscovery", false, "Service"},
    {"Shield", true, "DRTAccess ProactiveEngagement Protection ProtectionGroup"},
    {"Signer", false, "ProfilePermission SigningProfile"},
    {"SimSpaceWeaver", false, "Simulation"},
    {"StepFunctions", false, "Activity StateMachine:rsplk StateMachineAlias:rs StateMachineVersion:rs"},
    {"StorageGateway", false, "TapePool"},
    {"SupportApp", false, "AccountAlias SlackChannelConfiguration SlackWorkspaceConfiguration"},
    {"Synthetics", false, "Canary Group"},
    {"SystemsManagerSAP", false, "Application"},
    {"Timestream", false, "Database InfluxDBCluster InfluxDBInstance ScheduledQuery Table"},
    {"Transcribe", false, "VocabularyFilter"},
    {"Transfer", false, "Agreement:rs Certificate Connector Profile Server User: WebApp Workflow"},
    {"UXC", false, "AccountCustomization:rs"},
    {"VerifiedPermissions", false, "IdentitySource:rs Policy:rs PolicyStore PolicyStoreAlias PolicyTemplate:rs"},
    {"VoiceID", false, "Domain"},
    {"VpcLattice", false, "AccessLogSubscription:rs AuthPolicy:rs DomainVerification: Listener:rs"
     " ResourceConfiguration ResourceGateway ResourcePolicy:rs Rule:rs Service ServiceNetwork"
     " ServiceNetworkResourceAssociation ServiceNetworkServiceAssociation ServiceNetworkVpcAssociation TargetGroup:p"},
    {"WAFv2", false, "IPSet:rs LoggingConfiguration RegexPatternSet:rs RuleGroup: WebACL: WebACLAssociation:rs"},
    {"WellArchitected", false, "Lens Profile ReviewTemplate"},
    {"Wisdom", false, "AIAgent:rs AIAgentVersion:rs AIGuardrail:rs AIGuardrailVersion:rs AIPrompt:rs"
     " AIPromptVersion:rs Assistant AssistantAssociation:rs KnowledgeBase MessageTemplate:rs"
     " MessageTemplateVersion:rs QuickResponse:rs"},
    {"WorkSpaces", false, "ConnectionAlias Workspace: WorkspaceIpGroup WorkspacesPool"},
    {"WorkSpacesThinClient", false, "Environment"},
    {"WorkSpacesWeb", false, "BrowserSettings DataProtectionSettings IdentityProvider:rs IpAccessSettings"
     " NetworkSettings Portal SessionLogger TrustStore UserAccessLoggingSettings UserSettings"},
    {"WorkspacesInstances", false, "Volume VolumeAssociation WorkspaceInstance"},
    {"XRay", false, "Group ResourcePolicy SamplingRule TransactionSearchConfig"},
};
/* clang-format on */

static int by_name(const void *key, const void *entry)
{
    return str_cmp(*(const struct str *)key, str_of(((const struct service *)entry)->name));
}

static const struct service *find_service(struct str name)
{
    return bsearch(&name, services, sizeof services / sizeof services[0], sizeof services[0], by_name);
}

/* Decodes the flags after a type's name; empty if it has none. */
static struct awscc_decision read_decision(struct str flags)
{
    struct awscc_decision d = {.listed = true};
    for (size_t i = 0; i < flags.n; i++) {
        d.resource |= flags.p[i] == 'r';
        d.singular |= flags.p[i] == 's';
        d.plural |= flags.p[i] == 'p';
        d.list |= flags.p[i] == 'l';
        d.pinned |= flags.p[i] == 'k';
    }
    return d;
}

struct awscc_decision awscc_decision(const struct cfn_type_name *name)
{
    const struct service *service = str_eqz(name->organisation, "AWS") ? find_service(name->service) : NULL;
    struct str rest = service ? str_of(service->types) : STR_EMPTY;
    while (rest.n > 0) {
        struct str flags = str_cut(&rest, ' ');
        bool alone = str_find(flags, ':', 0) == SIZE_MAX;
        if (str_eq(str_cut(&flags, ':'), name->resource))
            return read_decision(alone ? STR("rspl") : flags);
    }
    return (struct awscc_decision){0};
}

bool awscc_is_global(struct str service)
{
    const struct service *found = find_service(service);
    return found && found->global;
}
