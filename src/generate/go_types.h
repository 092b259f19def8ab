/*
 * Writes kinds as Go API types, for Go programs that make or read such objects. They follow Upjet's, so that code can be
 * migrated:
 * three structs per kind (VPCInitParameters, VPCParameters, VPCObservation) and their nested structs, with `json` and `tf` tags
 * and kubebuilder markers; Spec, Status and List; DeepCopy methods; registration with a scheme.
 *
 *     go/go.mod, go/go.sum
 *     go/FLAVOUR/GROUP/VERSION/zz_groupversion_info.go
 *     go/FLAVOUR/GROUP/VERSION/zz_KIND_types.go
 *     go/FLAVOUR/GROUP/VERSION/zz_KIND_deepcopy.go
 *
 * The code is formatted like gofmt and compiles without changes. controller-gen makes the same CRDs from it
 * (crd:allowDangerousTypes=true, for numbers; our CRDs of data sources are stricter), and the same DeepCopy code (in one file per
 * package: remove ours first). No package imports another one, so that folders can be copied into other modules.
 *
 * Names. A name depends on its kind, not on what else is generated: nested structs are named KIND_PATH plus Parameters,
 * InitParameters or Observation (Bucket_LoggingParameters; without the underscore it would be a struct of the kind BucketLogging,
 * which S3 also has). If the name of a struct is also that of another kind of the provider, the struct gets an underscore
 * (ConfigurationRecorder_Status, next to the kind ConfigurationRecorderStatus). Within a kind, attributes with the same name and
 * content share a struct, named after the uppermost of them; without this, schemas that unroll recursion would need tens of
 * thousands of structs.
 */
#pragma once

#include "crossplane/model.h"
#include "output/output.h"

struct go_types;

/* One per run, in `a`. `kinds` has all kinds of the provider as GROUP/KIND; go_types_add() reads it. */
struct go_types *go_types_new(struct arena *a, struct str provider, const struct map *kinds);
bool go_types_add(struct go_types *g, const struct xp_kind *k, enum xp_flavour flavour, struct output *out, struct diags *diags);
/* Writes the files of each package and of the module. */
bool go_types_finish(struct go_types *g, struct output *out, struct diags *diags);
