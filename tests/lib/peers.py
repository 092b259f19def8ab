"""Workspaces in which a real terraform or tofu finds a provider binary by its address."""
import json
import os
import platform
import re
import subprocess

# Under which address the CLIs meet a peer provider: NAMESPACE, VERSION (tests/peers/peers.sh has the same).
ADDRESS = {
    "time": ("hashicorp", "0.14.2"),
    "kubectl": ("gavinbunney", "1.19.0"),
    "legacy": ("terrane", "1.0.0"),
    "modern": ("terrane", "1.0.0"),
    "modern5": ("terrane", "1.0.0"),
}
HOSTS = {"terraform": "registry.terraform.io", "terraform-1.14": "registry.terraform.io", "tofu": "registry.opentofu.org"}
ARCH = {"x86_64": "amd64", "aarch64": "arm64", "i686": "386"}


def os_arch():
    return "linux_" + ARCH.get(platform.machine(), platform.machine())


def address(name, binary):
    """(namespace, version); what is not ours is found in a mirror, whose path says it."""
    if name in ADDRESS:
        return ADDRESS[name]
    m = re.search(r"/([^/]+)/[^/]+/(\d[^/]*)/[^/]+/[^/]+$", binary)
    return (m.group(1), m.group(2)) if m else ("terrane", "1.0.0")


def mirror(folder, host, namespace, name, version, binary):
    target = os.path.join(folder, host, namespace, name, version, os_arch())
    os.makedirs(target, exist_ok=True)
    os.symlink(os.path.realpath(binary), os.path.join(target, f"terraform-provider-{name}_v{version}"))


def workspace(folder, cli, name, binary):
    """Makes `folder` an initialised workspace that requires the provider; returns the environment to run the CLI in."""
    kind = "tofu" if "tofu" in os.path.basename(cli) else "terraform"
    host = HOSTS[kind]
    namespace, version = address(name, binary)
    mirrors = os.path.join(folder, "mirror")
    mirror(mirrors, host, namespace, name, version, binary)
    config = os.path.join(folder, "cli.tfrc")
    with open(config, "w", encoding="utf-8") as f:
        f.write(f'provider_installation {{\n  filesystem_mirror {{\n    path = {json.dumps(mirrors)}\n  }}\n}}\n')
    source = f"{host}/{namespace}/{name}"
    with open(os.path.join(folder, "main.tf.json"), "w", encoding="utf-8") as f:
        json.dump({"terraform": {"required_providers": {name: {"source": source, "version": version}}}}, f)
    env = {"TF_CLI_CONFIG_FILE": config, "CHECKPOINT_DISABLE": "1", "TF_IN_AUTOMATION": "1", "TF_PLUGIN_CACHE_DIR": ""}
    run_cli(cli, folder, env, "init", "-backend=false", "-input=false", "-no-color")
    return env


def run_cli(cli, folder, env, *args, check=True, timeout=300):
    done = subprocess.run([cli, *args], cwd=folder, env={**os.environ, **env}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=timeout)
    if check and done.returncode != 0:
        raise AssertionError(f"{os.path.basename(cli)} {' '.join(args)} failed:\n{done.stdout}\n{done.stderr}")
    return done
