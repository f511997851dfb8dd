/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is said of the user's commands: part by part in steps of work (core/work.h), so that a
 * command does not keep the hart for as long as it takes to tell of it. Shared lock held.
 */
#ifndef COTENANT_FEATURES_COMMANDS_TELLING_H
#define COTENANT_FEATURES_COMMANDS_TELLING_H

/*
 * A message for the monitor's log, for the caller to fill in: at most 7 strings, of at most 31
 * bytes, which stay where they are, of which the last one ends with '\n', and a NULL behind them.
 * Told behind those before; lost if too many wait. The caller posts the work.
 */
const char **tell_event(void);  /* what goes behind "monitor: " */
const char **tell_answer(void); /* all of it */

#endif
