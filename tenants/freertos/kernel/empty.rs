// SPDX-License-Identifier: BSD-2-Clause
//! Empty: cargo wants a target, and only the dependency's C sources are used.
