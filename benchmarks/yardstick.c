/* A yardstick: find the tokens, the labels and the ends of sentences of a column file, no more.
 *
 *     cc -O2 -o yardstick yardstick.c && ./yardstick FILE
 *
 * Reads 64 kB at a time and looks at one byte after the other. The token is the first column of a
 * line and labels are the others; a blank line ends a sentence. What it prints are numbers that
 * cannot be known without having found each of them.
 */
#include <stdio.h>

enum { BLOCK = 1 << 16 };

int main(int argc, char **argv) {
    static unsigned char block[BLOCK];
    unsigned long tokens = 0, labels = 0, outside = 0, sentences = 0;
    unsigned column = 0;      /* of this line, counted from 1; 0 before its first byte */
    unsigned length = 0;      /* of this field */
    unsigned char first = 0;  /* byte of this field */
    unsigned open = 0;        /* has this sentence a token? */
    size_t size;
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;

    if (!file) {
        fprintf(stderr, "usage: yardstick FILE\n");
        return 2;
    }
    while ((size = fread(block, 1, BLOCK, file)) > 0) {
        for (size_t at = 0; at < size; at++) {
            unsigned char byte = block[at];
            if (byte != ' ' && byte != '\t' && byte != '\n') {
                if (length++ == 0) {
                    first = byte;
                    column++;
                }
                continue;
            }
            if (length > 0) {
                if (column == 1) {
                    tokens++;
                    open = 1;
                } else {
                    labels++;
                    outside += length == 1 && first == 'O';
                }
                length = 0;
            }
            if (byte == '\n') {
                if (column == 0 && open) {
                    sentences++;
                    open = 0;
                }
                column = 0;
            }
        }
    }
    if (length > 0 && column > 1) { /* the last line may lack its end */
        labels++;
        outside += length == 1 && first == 'O';
    }
    fclose(file);
    printf("%lu tokens, %lu labels (%lu outside), %lu sentences\n", tokens, labels, outside,
           sentences + open);
    return 0;
}
