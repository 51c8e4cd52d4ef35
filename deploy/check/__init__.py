"""What Kubernetes' own validation does not find in the manifests: rules over built objects, against the code."""

from deploy.check import network, pods, product, scaling, wiring
from deploy.check.rules import RULES, Finding, findings

__all__ = ["RULES", "Finding", "findings", "network", "pods", "product", "scaling", "wiring"]
