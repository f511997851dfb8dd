# SPDX-License-Identifier: BSD-2-Clause
"""Results on disk, and what is made of them: pages, pictures, figures of documents."""
