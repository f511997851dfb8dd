/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * controlplot [--batch]: watches the control loop of examples/control-loop.toml, live. Each line is
 * a moment, with the set point (|) and the motor's speed (o) on a scale from left to right. The
 * keys
 * + and - change the set point, r turns it round, q ends it.
 *
 * With --batch it gives four set points, one a second, and prints how the loop followed:
 *
 *   controlplot: samples=400 lost=0 settled=4 of 4 within=270ms latest=12.3us
 *
 * "settled": the speed stayed within 2 % of the set point from some moment on; "within": the
 * longest time that took; "latest": the most that the RTOS' task was late at a sample. Exit status
 * 0: all of them settled and no sample was lost.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "control_sample.h"

#define PORT "/dev/virtio-ports/loop"
#define SAMPLES_PER_SECOND (CONTROL_RATE / CONTROL_SAMPLE_PERIODS)
/* The scale: columns, and thousandths of a revolution per second at both ends. */
#define COLUMNS 61
#define SCALE 3000
#define STEP 250
/* One line of so many samples. */
#define SAMPLES_PER_LINE 5

static int port = -1;

static _Noreturn void give_up(const char *what)
{
    fprintf(stderr, "controlplot: %s: %s\n", what, strerror(errno));
    exit(2);
}

static void send_set_point(int set_point)
{
    struct control_command command = {.set_point = set_point};

    if (write(port, &command, sizeof(command)) != sizeof(command))
        give_up(PORT);
}

/* False: the other end has gone. */
static bool next_sample(struct control_sample *sample)
{
    ssize_t count = read(port, sample, sizeof(*sample));

    if (count < 0)
        give_up(PORT);
    return count == sizeof(*sample);
}

static void wait_for_loop(void)
{
    struct pollfd poll_port = {.fd = port, .events = POLLOUT};

    while (poll(&poll_port, 1, -1) < 0 || (poll_port.revents & POLLHUP) != 0)
        usleep(10000);
}

static int column(int speed)
{
    int place = (speed + SCALE) * (COLUMNS - 1) / (2 * SCALE);

    return place < 0 ? 0 : place >= COLUMNS ? COLUMNS - 1 : place;
}

static void draw(const struct control_sample *sample)
{
    char chart[COLUMNS + 1];

    memset(chart, ' ', COLUMNS);
    chart[COLUMNS] = '\0';
    chart[column(0)] = ':';
    chart[column(sample->set_point)] = '|';
    chart[column(sample->speed)] = 'o';
    printf("%7.2fs %5d %s %5d %4.1fus\r\n", (double)sample->period / CONTROL_RATE,
           sample->set_point, chart, sample->speed, sample->lateness_ns / 1000.0);
    fflush(stdout);
}

static struct termios make_raw(void)
{
    struct termios old;
    struct termios raw;

    if (tcgetattr(STDIN_FILENO, &old) != 0)
        give_up("the terminal");
    raw = old;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    return old;
}

/* False: enough. */
static bool take_keys(int *set_point)
{
    char key;

    while (read(STDIN_FILENO, &key, 1) == 1) {
        if (key == 'q')
            return false;
        if (key == '+' && *set_point < SCALE)
            *set_point += STEP;
        if (key == '-' && *set_point > -SCALE)
            *set_point -= STEP;
        if (key == 'r')
            *set_point = -*set_point;
        send_set_point(*set_point);
    }
    return true;
}

static int watch(void)
{
    struct termios old = make_raw();
    struct control_sample sample;
    int set_point = 1000;

    printf("keys: + and - change the set point, r turns it round, q ends\r\n");
    send_set_point(set_point);
    for (unsigned count = 1; next_sample(&sample); count++) {
        if (count % SAMPLES_PER_LINE == 0)
            draw(&sample);
        if (!take_keys(&set_point))
            break;
    }
    tcsetattr(STDIN_FILENO, TCSANOW, &old);
    return 0;
}

struct outcome {
    unsigned samples;
    unsigned lost;
    unsigned settled;
    unsigned within_ms; /* of the slowest */
    uint32_t latest_ns;
    bool has_period;
    uint32_t period;
};

static void count_sample(struct outcome *outcome, const struct control_sample *sample)
{
    outcome->samples++;
    if (outcome->has_period)
        outcome->lost += (sample->period - outcome->period) / CONTROL_SAMPLE_PERIODS - 1;
    outcome->has_period = true;
    outcome->period = sample->period;
    if (sample->lateness_ns > outcome->latest_ns)
        outcome->latest_ns = sample->lateness_ns;
}

/* Watches one set point for a second; false: the loop has gone. */
static bool try_set_point(int set_point, struct outcome *outcome)
{
    struct control_sample sample;
    unsigned away_ms = 0; /* when the speed was last outside of the 2 % */
    unsigned count = 0;

    send_set_point(set_point);
    while (count < SAMPLES_PER_SECOND) {
        if (!next_sample(&sample))
            return false;
        count_sample(outcome, &sample);
        if (sample.set_point != set_point)
            continue; /* taken before */
        count++;
        if (abs(sample.speed - set_point) > abs(set_point) / 50)
            away_ms = count * CONTROL_SAMPLE_PERIODS;
    }
    if (away_ms < 1000) {
        outcome->settled++;
        if (away_ms > outcome->within_ms)
            outcome->within_ms = away_ms;
    }
    return true;
}

static int judge(void)
{
    static const int set_points[] = {1000, 2500, -500, -2000};
    const unsigned wanted = sizeof(set_points) / sizeof(set_points[0]);
    struct outcome outcome = {0};

    for (unsigned i = 0; i < wanted; i++) {
        if (!try_set_point(set_points[i], &outcome))
            break;
    }
    printf("controlplot: samples=%u lost=%u settled=%u of %u within=%ums latest=%.1fus\n",
           outcome.samples, outcome.lost, outcome.settled, wanted, outcome.within_ms,
           outcome.latest_ns / 1000.0);
    return outcome.settled == wanted && outcome.lost == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc > 2 || (argc == 2 && strcmp(argv[1], "--batch") != 0)) {
        fprintf(stderr, "usage: controlplot [--batch]\n");
        return 2;
    }
    port = open(PORT, O_RDWR);
    if (port < 0)
        give_up(PORT);
    wait_for_loop();
    return argc == 2 ? judge() : watch();
}
