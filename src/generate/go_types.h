/*
 * Kinds as Go API types, for programs in Go that make or read such objects. As Upjet has them, so that code can be moved: three
 * structs a kind (VPCInitParameters, VPCParameters, VPCObservation) and those of what is nested in them, with `json` and `tf`
 * tags and kubebuilder markers; Spec, Status and List; copying; registration with a scheme.
 *
 *     go/go.mod, go/go.sum
 *     go/FLAVOUR/GROUP/VERSION/zz_groupversion_info.go
 *     go/FLAVOUR/GROUP/VERSION/zz_KIND_types.go
 *     go/FLAVOUR/GROUP/VERSION/zz_KIND_deepcopy.go
 *
 * The text is as gofmt has it and compiles as it is. controller-gen makes the same CRDs of it (crd:allowDangerousTypes=true, for
 * numbers; of data sources ours are stricter), and the same copying code (into one file a package: remove ours first). No
 * package imports another one, so that folders can be copied into other modules.
 *
 * Names. A name depends on its kind, not on what else is generated: what is nested is called KIND_PATH and Parameters,
 * InitParameters or Observation (Bucket_LoggingParameters; without the underscore it would be a struct of the kind BucketLogging,
 * which S3 has too). Where the name of a struct is that of another kind of the provider, the struct gets an underscore
 * (ConfigurationRecorder_Status, beside the kind ConfigurationRecorderStatus). Attributes of one name and one content within a
 * kind share a struct, which is called after the uppermost of them: what providers unroll instead of recursion would be tens of
 * thousands of structs.
 */
#pragma once

#include "crossplane/model.h"
#include "output/output.h"

struct go_types;

/* One for a run, in `a`. `kinds` has all kinds of the provider as GROUP/KIND; it is looked at when kinds are added. */
struct go_types *go_types_new(struct arena *a, struct str provider, const struct map *kinds);
bool go_types_add(struct go_types *g, const struct xp_kind *k, enum xp_flavour flavour, struct output *out, struct diags *diags);
/* What belongs to packages and to the module as a whole. */
bool go_types_finish(struct go_types *g, struct output *out, struct diags *diags);
