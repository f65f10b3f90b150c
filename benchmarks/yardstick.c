/* What the machine gives without finesse: pair counting and AODE inference in plain C.

   Codes lie row-major, x[r * k + j]; threads take blocks of rows. State a of feature j has the number
   start[j] + a among all `width` states, so that a table over pairs of states is a plain matrix, of which
   only the upper half is used. In the counts the class is outermost, counts[(c * width + s) * width + t]: a row
   has one class, and its pairs then share cache lines. In the tables of inference, which needs all classes of a
   pair, it is innermost: ratio[(s * width + t) * l + c]. */

#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MAX_THREADS 64

typedef struct {
    const uint8_t *x;
    const int32_t *y;
    int64_t first, last; /* rows */
    int64_t k, l, width;
    const int64_t *start;
    int32_t *counts;       /* of pairs of states, this thread's own */
    const double *log_c;   /* log P(c) */
    const double *log_a;   /* log P(a_j | c) of state s: log_a[s * l + c] */
    const double *ratio;   /* log P(a_i | a_j, c) / P(a_i | c), symmetric */
    double *proba;
    int failed;
} Task;

/* The states of a row among all states. */
static void number_states(const Task *t, int64_t r, int64_t *state) {
    for (int64_t j = 0; j < t->k; j++) state[j] = t->start[j] + t->x[r * t->k + j];
}

static void *count_rows(void *argument) {
    Task *t = argument;
    const int64_t k = t->k, width = t->width;
    int64_t *state = malloc(k * sizeof *state);
    if (state == NULL) {
        t->failed = 1;
        return NULL;
    }
    for (int64_t r = t->first; r < t->last; r++) {
        number_states(t, r, state);
        for (int64_t i = 0; i < k; i++) {
            int32_t *row = t->counts + (t->y[r] * width + state[i]) * width;
            for (int64_t j = i; j < k; j++) row[state[j]]++; /* j = i counts the single values */
        }
    }
    free(state);
    return NULL;
}

static void *predict_rows(void *argument) {
    Task *t = argument;
    const int64_t k = t->k, l = t->l, width = t->width;
    int64_t *state = malloc(k * sizeof *state);
    double *joint = malloc((k + 1) * l * sizeof *joint);
    if (state == NULL || joint == NULL) {
        t->failed = 1;
        free(state);
        free(joint);
        return NULL;
    }
    double *naive = joint + k * l;
    for (int64_t r = t->first; r < t->last; r++) {
        number_states(t, r, state);
        memcpy(naive, t->log_c, l * sizeof *naive);
        for (int64_t j = 0; j < k; j++)
            for (int64_t c = 0; c < l; c++) naive[c] += t->log_a[state[j] * l + c];
        for (int64_t j = 0; j < k; j++) memcpy(joint + j * l, naive, l * sizeof *naive);
        for (int64_t i = 0; i < k; i++) {
            const double *row = t->ratio + state[i] * width * l;
            for (int64_t j = i + 1; j < k; j++) {
                const double *cell = row + state[j] * l;
                for (int64_t c = 0; c < l; c++) {
                    joint[i * l + c] += cell[c];
                    joint[j * l + c] += cell[c];
                }
            }
        }
        double *mean = t->proba + r * l;
        memset(mean, 0, l * sizeof *mean);
        for (int64_t j = 0; j < k; j++) {
            double *p = joint + j * l, highest = p[0], total = 0.0;
            for (int64_t c = 1; c < l; c++)
                if (p[c] > highest) highest = p[c];
            for (int64_t c = 0; c < l; c++) total += p[c] = exp(p[c] - highest);
            for (int64_t c = 0; c < l; c++) mean[c] += p[c] / (total * (double)k);
        }
    }
    free(state);
    free(joint);
    return NULL;
}

/* Split n rows among the threads; 0 if all went well. */
static int in_threads(void *(*work)(void *), Task *tasks, int n_threads, int64_t n) {
    pthread_t threads[MAX_THREADS];
    int failed = 0, started = 0;
    for (int i = 0; i < n_threads; i++) {
        tasks[i].first = n * i / n_threads;
        tasks[i].last = n * (i + 1) / n_threads;
    }
    while (started < n_threads - 1) {
        if (pthread_create(&threads[started], NULL, work, &tasks[started + 1]) != 0) {
            failed = 1;
            break;
        }
        started++;
    }
    work(&tasks[0]);
    for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < n_threads; i++) failed |= tasks[i].failed;
    return failed;
}

/* Count pairs of states and classes into counts[l * width * width]. */
int count_pairs(const uint8_t *x, const int32_t *y, int64_t n, int64_t k, int64_t l, const int64_t *start,
                int64_t width, int n_threads, int32_t *counts) {
    const int64_t cells = width * width * l;
    Task tasks[MAX_THREADS];
    int failed = n_threads < 1 || n_threads > MAX_THREADS;
    if (failed) return failed;
    for (int i = 0; i < n_threads; i++) {
        tasks[i] = (Task){.x = x, .y = y, .k = k, .l = l, .width = width, .start = start};
        tasks[i].counts = i == 0 ? counts : calloc(cells, sizeof *counts);
        failed |= tasks[i].counts == NULL;
    }
    memset(counts, 0, cells * sizeof *counts);
    if (!failed) failed = in_threads(count_rows, tasks, n_threads, n);
    for (int i = 1; i < n_threads; i++) {
        if (!failed)
            for (int64_t cell = 0; cell < cells; cell++) counts[cell] += tasks[i].counts[cell];
        free(tasks[i].counts);
    }
    return failed;
}

/* BDeu parameters (one pseudo-count) from the counts, as logarithms. */
void fill_tables(const int32_t *counts, int64_t n, int64_t k, int64_t l, const int64_t *start, int64_t width,
                 double *log_c, double *log_a, double *ratio) {
    double *mass = calloc(l, sizeof *mass);
    if (mass == NULL) return;
    for (int64_t s = start[0]; s < start[1]; s++)
        for (int64_t c = 0; c < l; c++) mass[c] += counts[(c * width + s) * width + s];
    for (int64_t c = 0; c < l; c++) {
        mass[c] += 1.0 / l;
        log_c[c] = log(mass[c] / (n + 1.0));
    }
    for (int64_t j = 0; j < k; j++)
        for (int64_t s = start[j]; s < start[j + 1]; s++)
            for (int64_t c = 0; c < l; c++) {
                double v = start[j + 1] - start[j];
                log_a[s * l + c] = log((counts[(c * width + s) * width + s] + 1.0 / (l * v)) / mass[c]);
            }
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = i + 1; j < k; j++) {
            double cell_mass = 1.0 / ((double)l * (start[i + 1] - start[i]) * (start[j + 1] - start[j]));
            for (int64_t s = start[i]; s < start[i + 1]; s++)
                for (int64_t t = start[j]; t < start[j + 1]; t++)
                    for (int64_t c = 0; c < l; c++) {
                        double n_pair = counts[(c * width + s) * width + t];
                        ratio[(s * width + t) * l + c] = log((n_pair + cell_mass) / mass[c])
                                                         - log_a[s * l + c] - log_a[t * l + c];
                    }
        }
    free(mass);
}

/* The mean of the SPODEs' posteriors into proba[n * l]. */
int predict_proba(const uint8_t *x, int64_t n, int64_t k, int64_t l, const int64_t *start, int64_t width,
                  const double *log_c, const double *log_a, const double *ratio, int n_threads, double *proba) {
    Task tasks[MAX_THREADS];
    if (n_threads < 1 || n_threads > MAX_THREADS) return 1;
    for (int i = 0; i < n_threads; i++)
        tasks[i] = (Task){.x = x, .k = k, .l = l, .width = width, .start = start, .log_c = log_c,
                          .log_a = log_a, .ratio = ratio, .proba = proba};
    return in_threads(predict_rows, tasks, n_threads, n);
}
