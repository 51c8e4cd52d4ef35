"""What Kubernetes' own validation does not find in the manifests: rules over built objects, against the code."""

from tests.manifests import bus, network, pods, product, scaling, wiring
from tests.manifests.rules import RULES, Finding, findings

__all__ = ["RULES", "Finding", "bus", "findings", "network", "pods", "product", "scaling", "wiring"]
