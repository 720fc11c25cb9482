#include "engine/workers.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

struct job_note {
    struct job_note *next;
    struct message message;
};

/* Freed by the last one to go: the pool's owner or a thread that was left behind. */
struct workers {
    struct arena arena; /* in which it lives */
    pthread_mutex_t lock;
    pthread_cond_t jobs_come, messages_come, answers_come, threads_go;
    struct job *first_job, **last_job;
    struct job_note *first_note, **last_note;
    struct job *answered; /* the job whose progress was answered last, and how */
    bool answer_ok, closing;
    size_t threads_left, holders;
    atomic_bool cancel;
};

struct job *job_new(void) {
    struct arena own = {0};
    struct job *j = ARENA_NEW(&own, struct job);
    j->arena = own; /* the job lives in its own arena */
    j->call.arena = &j->arena;
    return j;
}

void job_free(struct job *j) {
    struct arena own = j->arena;
    arena_fini(&own);
}

static void add_note(struct workers *w, struct job_note *note) {
    note->next = NULL;
    *w->last_note = note;
    w->last_note = &note->next;
    pthread_cond_signal(&w->messages_come);
}

static bool tell_progress(void *user, value token) {
    struct job *j = user;
    struct workers *w = j->workers;
    struct job_note *note = ARENA_NEW(&j->arena, struct job_note);
    note->message = (struct message){.kind = MESSAGE_PROGRESS, .job = j, .token = token};
    pthread_mutex_lock(&w->lock);
    add_note(w, note);
    while (w->answered != j && !w->closing) {
        pthread_cond_wait(&w->answers_come, &w->lock);
    }
    bool ok = w->answered == j && w->answer_ok;
    w->answered = NULL;
    pthread_cond_broadcast(&w->answers_come);
    pthread_mutex_unlock(&w->lock);
    return ok;
}

static void tell_log(void *user, sv line) {
    struct job *j = user;
    struct job_note *note = ARENA_NEW(&j->arena, struct job_note);
    note->message = (struct message){.kind = MESSAGE_LOG, .job = j, .line = arena_copy_sv(&j->arena, line)};
    pthread_mutex_lock(&j->workers->lock);
    if (!j->workers->closing) {
        add_note(j->workers, note);
    }
    pthread_mutex_unlock(&j->workers->lock);
}

static void free_pool(struct workers *w) {
    while (w->first_job != NULL) {
        struct job *j = w->first_job;
        w->first_job = j->next;
        job_free(j);
    }
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->jobs_come);
    pthread_cond_destroy(&w->messages_come);
    pthread_cond_destroy(&w->answers_come);
    pthread_cond_destroy(&w->threads_go);
    struct arena own = w->arena;
    arena_fini(&own);
}

/* With the lock held; gives it up. */
static void let_go(struct workers *w) {
    bool last = --w->holders == 0;
    pthread_mutex_unlock(&w->lock);
    if (last) {
        free_pool(w);
    }
}

static enum provider_result run_job(struct job *j) {
    if (j->link == NULL) {
        return j->fn(&j->call);
    }
    j->link->call = j->call;
    enum provider_result result = j->link_fn(j->link);
    j->call = j->link->call;
    return result;
}

static void *run_thread(void *user) {
    struct workers *w = user;
    pthread_mutex_lock(&w->lock);
    for (;;) {
        while (w->first_job == NULL && !w->closing) {
            pthread_cond_wait(&w->jobs_come, &w->lock);
        }
        if (w->closing) {
            break;
        }
        struct job *j = w->first_job;
        w->first_job = j->next;
        if (w->first_job == NULL) {
            w->last_job = &w->first_job;
        }
        pthread_mutex_unlock(&w->lock);
        j->result = run_job(j);
        struct job_note *note = ARENA_NEW(&j->arena, struct job_note);
        note->message = (struct message){.kind = MESSAGE_DONE, .job = j};
        pthread_mutex_lock(&w->lock);
        if (w->closing) {
            job_free(j); /* nobody waits for it any more */
            break;
        }
        add_note(w, note);
    }
    w->threads_left--;
    pthread_cond_broadcast(&w->threads_go);
    let_go(w);
    return NULL;
}

static void init_cond(pthread_cond_t *c) {
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(c, &attr);
    pthread_condattr_destroy(&attr);
}

static bool start_thread(void *(*fn)(void *), void *user, pthread_t *thread) {
    return pthread_create(thread, NULL, fn, user) == 0;
}

struct workers *workers_open(size_t threads) {
    struct arena own = {0};
    struct workers *w = ARENA_NEW(&own, struct workers);
    w->arena = own;
    pthread_mutex_init(&w->lock, NULL);
    init_cond(&w->jobs_come);
    init_cond(&w->messages_come);
    init_cond(&w->answers_come);
    init_cond(&w->threads_go);
    w->last_job = &w->first_job;
    w->last_note = &w->first_note;
    w->holders = 1;
    for (size_t i = 0; i < threads; i++) {
        pthread_t thread;
        pthread_mutex_lock(&w->lock);
        if (start_thread(run_thread, w, &thread)) {
            pthread_detach(thread);
            w->threads_left++;
            w->holders++;
        }
        pthread_mutex_unlock(&w->lock);
    }
    if (w->threads_left == 0) {
        free_pool(w);
        return NULL;
    }
    return w;
}

void workers_start(struct workers *w, struct job *j) {
    j->workers = w;
    j->next = NULL;
    j->call.cancel = &w->cancel;
    j->call.progress = tell_progress;
    j->call.log = tell_log;
    j->call.user = j;
    pthread_mutex_lock(&w->lock);
    *w->last_job = j;
    w->last_job = &j->next;
    pthread_cond_signal(&w->jobs_come);
    pthread_mutex_unlock(&w->lock);
}

static struct timespec time_after(int64_t ms) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    int64_t nanoseconds = at.tv_nsec + ms % 1000 * 1000000;
    at.tv_sec += (time_t)(ms / 1000 + nanoseconds / 1000000000);
    at.tv_nsec = (long)(nanoseconds % 1000000000);
    return at;
}

bool workers_take(struct workers *w, int64_t timeout_ms, struct message *m) {
    struct timespec until = time_after(timeout_ms > 0 ? timeout_ms : 0);
    pthread_mutex_lock(&w->lock);
    while (w->first_note == NULL && timeout_ms > 0) {
        if (pthread_cond_timedwait(&w->messages_come, &w->lock, &until) == ETIMEDOUT) {
            break;
        }
    }
    struct job_note *note = w->first_note;
    if (note != NULL) {
        w->first_note = note->next;
        if (w->first_note == NULL) {
            w->last_note = &w->first_note;
        }
        *m = note->message;
    }
    pthread_mutex_unlock(&w->lock);
    return note != NULL;
}

void workers_answer(struct workers *w, struct job *j, bool ok) {
    pthread_mutex_lock(&w->lock);
    while (w->answered != NULL) {
        pthread_cond_wait(&w->answers_come, &w->lock);
    }
    w->answered = j;
    w->answer_ok = ok;
    pthread_cond_broadcast(&w->answers_come);
    pthread_mutex_unlock(&w->lock);
}

void workers_cancel(struct workers *w) {
    atomic_store(&w->cancel, true);
}

bool workers_close(struct workers *w, int64_t patience_ms) {
    struct timespec until = time_after(patience_ms);
    pthread_mutex_lock(&w->lock);
    struct job_note *note = w->first_note;
    while (note != NULL) { /* finished, never taken */
        struct job_note *next = note->next;
        if (note->message.kind == MESSAGE_DONE) {
            job_free(note->message.job);
        }
        note = next;
    }
    w->first_note = NULL;
    w->last_note = &w->first_note;
    w->closing = true;
    pthread_cond_broadcast(&w->jobs_come);
    pthread_cond_broadcast(&w->answers_come);
    while (w->threads_left > 0) {
        if (pthread_cond_timedwait(&w->threads_go, &w->lock, &until) == ETIMEDOUT) {
            break;
        }
    }
    bool all = w->threads_left == 0;
    let_go(w);
    return all;
}

/* --- all at once --- */

struct parallel_run {
    const struct parallel_work *p;
    atomic_size_t next;
};

struct parallel_thread {
    struct parallel_run *run;
    size_t number;
    pthread_t thread;
    bool started;
};

static void *run_share(void *user) {
    struct parallel_thread *t = user;
    const struct parallel_work *p = t->run->p;
    for (;;) {
        size_t number = atomic_fetch_add(&t->run->next, 1);
        if (number >= p->count) {
            return NULL;
        }
        p->work(p->user, t->number, number);
    }
}

void workers_run_all(const struct parallel_work *p) {
    struct arena scratch = {0};
    struct parallel_run run = {.p = p};
    size_t threads = p->threads < p->count ? p->threads : p->count;
    struct parallel_thread *all = ARENA_ARRAY(&scratch, struct parallel_thread, threads + 1);
    for (size_t i = 1; i < threads; i++) {
        all[i] = (struct parallel_thread){.run = &run, .number = i};
        all[i].started = start_thread(run_share, &all[i], &all[i].thread);
    }
    all[0] = (struct parallel_thread){.run = &run};
    run_share(&all[0]);
    for (size_t i = 1; i < threads; i++) {
        if (all[i].started) {
            pthread_join(all[i].thread, NULL);
        }
    }
    arena_fini(&scratch);
}
