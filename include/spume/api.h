// SPDX-License-Identifier: Apache-2.0
#ifndef SPUME_API_H
#define SPUME_API_H

/// Stands before every function of the public interface. The library is compiled with hidden names, so a shared
/// libspume exports these functions and nothing else, and a static one has no other name that a program could clash
/// with. Programs need nothing of this.
#if defined(__GNUC__)
#define SP_API __attribute__((visibility("default")))
#else
#define SP_API
#endif

#endif
