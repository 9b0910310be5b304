/* SPDX-License-Identifier: MIT
 * late_library: dlopen. It stays loaded until the program ends. */
#include "base/late_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int
load(struct late_library *library, struct stk_error *err)
{
	void *handle;

	errno = 0;
	handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
	if (handle == NULL && errno == ENOMEM)
		return stk_fail(err, STK_ESYSTEM, "there is no memory to load a library: %s", dlerror());
	for (size_t i = 0; i < library->count && handle != NULL; i++) {
		void *found = dlsym(handle, library->functions[i].name);

		if (found == NULL)
			return stk_fail(err, STK_EDATA, "%s has no %s", library->file, library->functions[i].name);
		memcpy(library->functions[i].at, &found, sizeof found);
	}
	if (handle == NULL)
		return stk_fail(err, STK_EDATA, "a library cannot be loaded: %s", dlerror());
	library->loaded = true;
	return 0;
}

int
late_library_load(struct late_library *library, struct stk_error *err)
{
	int result;

	pthread_mutex_lock(&lock);
	result = library->loaded ? 0 : load(library, err);
	pthread_mutex_unlock(&lock);
	return result;
}
