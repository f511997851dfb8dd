/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ttycount BYTES: reads that many bytes from the terminal on its input, raw and without echo, and
 * prints how many came and their CRC-32, so that the sender can tell whether all arrived, in order.
 * Gives up when nothing comes for 30 s. Prints "ttycount: go" when it listens.
 */
#include "common.h"

#include <termios.h>
#include <unistd.h>

/* Tenths of a second that a read waits for a byte, and how many such waits in a row end it. */
#define WAIT_TENTHS 100
#define WAITS_AT_MOST 3
/* CRC-32 of IEEE 802.3, reflected. */
#define CRC_POLYNOMIAL 0xedb88320U

static uint32_t crc_add(uint32_t crc, const uint8_t *bytes, size_t count)
{
    for (size_t index = 0; index < count; index++) {
        crc ^= bytes[index];
        for (int bit = 0; bit < 8; bit++)
            crc = (crc >> 1) ^ ((crc & 1) != 0 ? CRC_POLYNOMIAL : 0);
    }
    return crc;
}

/* Makes the terminal raw; what was typed before stays. Returns the settings that it had. */
static struct termios make_raw(void)
{
    struct termios old;
    struct termios raw;

    if (tcgetattr(STDIN_FILENO, &old) != 0)
        give_up("tcgetattr");
    raw = old;
    raw.c_iflag &= ~(tcflag_t)(IGNBRK | BRKINT | PARMRK | ISTRIP | INLCR | IGNCR | ICRNL | IXON);
    raw.c_lflag &= ~(tcflag_t)(ECHO | ECHONL | ICANON | ISIG | IEXTEN);
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = WAIT_TENTHS;
    if (tcsetattr(STDIN_FILENO, TCSANOW, &raw) != 0)
        give_up("tcsetattr");
    return old;
}

/* Reads up to `wanted` bytes; returns how many came, and their CRC through `crc`. */
static unsigned long read_counted(unsigned long wanted, uint32_t *crc)
{
    uint8_t bytes[4096];
    unsigned long got = 0;
    int waits = 0;

    *crc = UINT32_MAX;
    while (got < wanted && waits < WAITS_AT_MOST) {
        size_t room = wanted - got < sizeof(bytes) ? wanted - got : sizeof(bytes);
        ssize_t count = read(STDIN_FILENO, bytes, room);

        if (count < 0)
            give_up("read");
        waits = count == 0 ? waits + 1 : 0;
        *crc = crc_add(*crc, bytes, (size_t)count);
        got += (unsigned long)count;
    }
    *crc = ~*crc;
    return got;
}

int main(int argc, char **argv)
{
    struct termios old;
    unsigned long wanted;
    unsigned long got;
    uint32_t crc;

    if (argc != 2) {
        fprintf(stderr, "usage: ttycount BYTES\n");
        return 2;
    }
    wanted = parse_number(argv[1]);
    old = make_raw();
    printf("ttycount: go\n");
    fflush(stdout);
    got = read_counted(wanted, &crc);
    tcsetattr(STDIN_FILENO, TCSANOW, &old);
    printf("ttycount: bytes=%lu crc32=%08x\n", got, crc);
    return got == wanted ? 0 : 1;
}
