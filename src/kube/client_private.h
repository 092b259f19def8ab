/* The parts of a client, for the other files of this folder. */
#pragma once

#include "kube/client.h"

struct http *kube_http(const struct kube *k);
struct kube_auth *kube_auth(const struct kube *k);
const struct kubeconfig *kube_config(const struct kube *k);
const struct http_time *kube_time(const struct kube *k);
struct log *kube_log(const struct kube *k);
