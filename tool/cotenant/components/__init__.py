# SPDX-License-Identifier: BSD-2-Clause
"""Images of tenants/components: reading the descriptions of components, linking, building."""
