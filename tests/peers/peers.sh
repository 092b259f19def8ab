# What `build`, `find` and `check` share: names, places, and how to tell whether a
# built peer is current. Sourced by bash. It starts as few programs as it can,
# because every test calls `find`.

peers_here=${BASH_SOURCE[0]%/*}
peers_cache=${TERRANE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/terrane}/peers
peers_bin=$peers_cache/bin

found_peers=(terraform aws)
built_peers=(tofu time kubectl legacy modern modern5 etcd kube-apiserver kubectl-cli
  controller-gen crossplane-apis)

# Built when somebody asks for them by name; tests that want one are skipped without.
asked_peers=(terraform-1.14)

# For each built peer: its folder, the Go package, the binary's name.
declare -A peer_folder=(
  [terraform-1.14]=terraform [tofu]=tofu [time]=time [kubectl]=kubectl
  [legacy]=legacy [modern]=modern [modern5]=modern
  [etcd]=etcd [kube-apiserver]=kubernetes [kubectl-cli]=kubernetes
  [controller-gen]=controller-gen [crossplane-apis]=crossplane-apis)
declare -A peer_package=(
  [terraform-1.14]=.
  [tofu]=github.com/opentofu/opentofu/cmd/tofu
  [time]=github.com/hashicorp/terraform-provider-time
  [kubectl]=github.com/gavinbunney/terraform-provider-kubectl
  [legacy]=. [modern]=. [modern5]=./modern5
  [etcd]=go.etcd.io/etcd/server/v3
  [kube-apiserver]=k8s.io/kubernetes/cmd/kube-apiserver
  [kubectl-cli]=k8s.io/kubernetes/cmd/kubectl
  [controller-gen]=sigs.k8s.io/controller-tools/cmd/controller-gen [crossplane-apis]=.)
declare -A peer_binary=(
  [terraform-1.14]=terraform-1.14 [tofu]=tofu
  [time]=terraform-provider-time [kubectl]=terraform-provider-kubectl
  [legacy]=terraform-provider-legacy [modern]=terraform-provider-modern
  [modern5]=terraform-provider-modern5
  [etcd]=etcd [kube-apiserver]=kube-apiserver [kubectl-cli]=kubectl
  [controller-gen]=controller-gen [crossplane-apis]=crossplane-apis)

# Provider peers as a mirror knows them: NAMESPACE VERSION.
declare -A peer_address=(
  [time]="hashicorp 0.14.2" [kubectl]="gavinbunney 1.19.0"
  [legacy]="terrane 1.0.0" [modern]="terrane 1.0.0" [modern5]="terrane 1.0.0")

# os_arch as Go and Terraform spell it.
os_arch() {
  local machine
  machine=$(uname -m)
  case $machine in
    x86_64) machine=amd64 ;;
    aarch64) machine=arm64 ;;
    i?86) machine=386 ;;
  esac
  echo "linux_$machine"
}

# The hash of everything a peer is made of, except Go itself. Our own providers
# share the cloud package.
source_hash() {
  local folder=${peer_folder[$1]} LC_ALL=C
  local -a files=()
  shopt -s nullglob globstar
  files=("$folder"/go.mod "$folder"/go.sum "$folder"/**/*.go)
  case $folder in
    legacy | modern) files+=(cloud/go.mod cloud/*.go) ;;
  esac
  # Tests are no part of the binary.
  local -a sources=()
  local file
  for file in "${files[@]}"; do
    [[ $file == *_test.go ]] || sources+=("$file")
  done
  sha256sum -- "${sources[@]}" | sha256sum | cut -c1-64
}

# The first line of a stamp is the source hash, the second one the Go version.
stamp_hash() {
  local line=
  [[ -r $peers_cache/stamp/$1 ]] && read -r line <"$peers_cache/stamp/$1"
  echo "$line"
}

# The path of a built peer, or the reason why there is none.
find_built() {
  local path=$peers_bin/${peer_binary[$1]}
  if [[ ! -x $path ]]; then
    echo "not built: run make peers"
    return 4
  fi
  if [[ $(stamp_hash "$1") != $(cd "$peers_here" && source_hash "$1") ]]; then
    echo "older than its sources: run make peers"
    return 4
  fi
  echo "$path"
}

find_asked() {
  find_built "$1" >/dev/null && find_built "$1" && return 0
  echo "not built: run tests/peers/build $1"
  return 3
}

find_terraform() {
  type -P terraform && return 0
  echo "no terraform on PATH"
  return 3
}

# Folders of filesystem_mirror blocks in the Terraform CLI configuration, in
# HCL or JSON. A full parser is not needed for one path in a block without
# inner blocks.
configured_mirrors() {
  local file=${TF_CLI_CONFIG_FILE:-$HOME/.terraformrc} text='' line
  [[ -r $file ]] || return 0
  while IFS= read -r line || [[ -n $line ]]; do
    [[ $line =~ ^[[:space:]]*(#|//) ]] || text+=$line$'\n'
  done <"$file"
  local block='filesystem_mirror"?[[:space:]]*[:=]?[[:space:]]*\[?[[:space:]]*\{([^}]*)\}'
  local path='path"?[[:space:]]*[:=][[:space:]]*"([^"]*)"'
  while [[ $text =~ $block ]]; do
    local body=${BASH_REMATCH[1]}
    text=${text#*"${BASH_REMATCH[0]}"}
    [[ $body =~ $path ]] && echo "${BASH_REMATCH[1]}"
  done
}

# Mirrors that nobody named: folders with a registry.terraform.io in them, at
# most three levels below the root ($1, for tests), which root or we own: no
# test may run what another user put there.
lying_mirrors() {
  local root=${1:-} path owner
  shopt -s nullglob
  for path in "$root"/registry.terraform.io/ "$root"/*/registry.terraform.io/ "$root"/*/*/registry.terraform.io/; do
    case ${path#"$root"} in /proc/* | /sys/* | /dev/*) continue ;; esac
    [[ -d $path ]] && owner=$(stat -Lc %u "$path") || continue
    [[ $owner == 0 || $owner == "$EUID" ]] && echo "${path%/registry.terraform.io/}"
  done
}

mirrors() {
  local named
  named=${TERRANE_MIRROR:-}${TERRANE_MIRROR:+$'\n'}$(configured_mirrors)
  if [[ -n $named ]]; then echo "$named"; else lying_mirrors; fi
}

# hashicorp/aws in a mirror, unpacked. The newest version wins.
aws_unpacked() {
  local arch=$1 mirror
  shopt -s nullglob
  while read -r mirror; do
    printf '%s\n' "$mirror"/*/hashicorp/aws/*/"$arch"/terraform-provider-aws*
  done < <(mirrors) | sort -V | tail -n 1
}

# The same as an archive: beside the version folders, as Terraform's packed
# layout has it, or within one.
aws_packed() {
  local arch=$1 mirror
  shopt -s nullglob
  while read -r mirror; do
    printf '%s\n' "$mirror"/*/hashicorp/aws/terraform-provider-aws_*_"$arch".zip \
      "$mirror"/*/hashicorp/aws/*/"$arch"/*.zip
  done < <(mirrors) | sort -V | tail -n 1
}

# Where `build` unpacks an archive; the name carries version and os_arch.
aws_cache() {
  local name=${1##*/}
  echo "$peers_cache/aws/${name%.zip}"
}

find_aws() {
  local arch path zip
  arch=$(os_arch)
  path=$(aws_unpacked "$arch")
  if [[ -n $path && $path != *.zip ]]; then
    echo "$path"
    return 0
  fi
  zip=$(aws_packed "$arch")
  if [[ -n $zip ]]; then
    shopt -s nullglob
    local -a binary=("$(aws_cache "$zip")"/terraform-provider-aws*)
    [[ ${#binary[@]} -gt 0 ]] && echo "${binary[0]}" && return 0
    echo "packed in a mirror: run make peers to unpack it"
    return 3
  fi
  echo "no hashicorp/aws for $arch in TERRANE_MIRROR, a filesystem_mirror of the Terraform CLI configuration," \
    "or a registry.terraform.io at most three levels below /"
  return 3
}

# Prints the path and returns 0, or prints the reason and returns 3 or 4.
find_peer() {
  case $1 in
    terraform) find_terraform ;;
    aws) find_aws ;;
    terraform-1.14) find_asked "$1" ;;
    *) find_built "$1" ;;
  esac
}
