// SPDX-License-Identifier: Apache-2.0
#include "bench/bench_petsc.h"

#if defined(SPUME_BENCH_PETSC)
#include <math.h>
#include <petscksp.h>
#include <time.h>

/// Unknowns are numbered in the order of tiles and voxels; other voxels get UINT32_MAX.
typedef struct numbering {
    const sp_poisson_case *c;
    uint32_t *number;
    size_t count;
} numbering;

static float low_face(const sp_poisson_case *c, size_t cell, int axis)
{
    const uint32_t row = c->row[cell / SP_TILE_VOXELS];
    if (row == SP_POISSON_EMPTY) return 0.0f;
    if (row == SP_POISSON_FULL) return 1.0f;
    return c->face[axis][(size_t)row * SP_TILE_VOXELS + cell % SP_TILE_VOXELS];
}

static float extra_of(const sp_poisson_case *c, size_t cell)
{
    const uint32_t row = c->row[cell / SP_TILE_VOXELS];
    if (row == SP_POISSON_EMPTY || row == SP_POISSON_FULL) return 0.0f;
    return c->extra[(size_t)row * SP_TILE_VOXELS + cell % SP_TILE_VOXELS];
}

/// The neighbour of a voxel along an axis; SIZE_MAX if its tile does not exist.
static size_t beside(const sp_poisson_case *c, size_t cell, int axis, int step)
{
    static const int stride[3] = {1, 3, 9}, inside[3] = {1, 8, 64};
    const int at = (int)(cell % SP_TILE_VOXELS >> 3 * axis) & 7;
    if (at + step >= 0 && at + step < 8) return cell + (size_t)(step * inside[axis]);
    const uint32_t there =
        c->tiles.around[cell / SP_TILE_VOXELS][SP_TILES_SELF + step * stride[axis]];
    if (there == SP_NO_TILE) return SIZE_MAX;
    return there * (size_t)SP_TILE_VOXELS + cell % SP_TILE_VOXELS -
           (size_t)(7 * step * inside[axis]);
}

/// Coefficients of a voxel's six faces, and the voxels on their other sides.
static double six(const sp_poisson_case *c, size_t cell, double face[6], size_t there[6])
{
    double sum = (double)extra_of(c, cell);
    for (int f = 0; f < 6; ++f) {
        there[f] = beside(c, cell, f / 2, f % 2 ? 1 : -1);
        const size_t owner = f % 2 ? there[f] : cell;
        face[f] = there[f] == SIZE_MAX ? 0.0 : (double)low_face(c, owner, f / 2);
        sum += face[f];
    }
    return sum;
}

static sp_status number_unknowns(numbering *n, const sp_poisson_case *c, sp_error *err)
{
    const size_t cells = c->tiles.count * SP_TILE_VOXELS;
    *n = (numbering){c, sp_allocate(c->host, cells, sizeof *n->number), 0};
    if (!n->number) return sp_fail(err, SP_NO_MEMORY, "no memory to number %zu voxels", cells);
    for (size_t i = 0; i < cells; ++i) {
        double face[6];
        size_t there[6];
        n->number[i] = six(c, i, face, there) > 0.0 ? (uint32_t)n->count++ : UINT32_MAX;
    }
    return SP_OK;
}

static PetscErrorCode assemble(const numbering *n, Mat *matrix, Vec *b, Vec *x)
{
    const PetscInt count = (PetscInt)n->count;
    PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, count, count, 7, NULL, matrix));
    PetscCall(MatCreateVecs(*matrix, x, b));
    for (size_t i = 0; i < n->c->tiles.count * SP_TILE_VOXELS; ++i) {
        if (n->number[i] == UINT32_MAX) continue;
        double face[6];
        size_t there[6];
        PetscInt row = (PetscInt)n->number[i], column[7] = {row}, used = 1;
        PetscScalar value[7] = {six(n->c, i, face, there)};
        for (int f = 0; f < 6; ++f)
            if (face[f] > 0.0) {
                column[used] = (PetscInt)n->number[there[f]];
                value[used++] = -face[f];
            }
        PetscCall(MatSetValues(*matrix, 1, &row, used, column, value, INSERT_VALUES));
        PetscCall(VecSetValue(*b, row, (PetscScalar)(double)n->c->b[i], INSERT_VALUES));
    }
    PetscCall(MatAssemblyBegin(*matrix, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*matrix, MAT_FINAL_ASSEMBLY));
    PetscCall(MatSetOption(*matrix, MAT_SYMMETRIC, PETSC_TRUE));
    PetscCall(VecAssemblyBegin(*b));
    return VecAssemblyEnd(*b);
}

typedef struct outcome {
    double setup, solve; ///< CPU seconds
    double residual;
    double apart; ///< largest difference from our solution, relative to its maximum
    int iterations;
} outcome;

/// Stops when max |r| is 1e-6 of max |b|, as our solver does. CG's own r is used, without an extra
/// product.
static PetscErrorCode in_max_norm(KSP ksp, PetscInt it, PetscReal norm, KSPConvergedReason *reason,
                                  void *goal)
{
    Vec r;
    PetscReal most;
    (void)norm;
    *reason = KSP_CONVERGED_ITERATING;
    if (it == 0) return 0;
    PetscCall(KSPBuildResidual(ksp, NULL, NULL, &r));
    PetscCall(VecNorm(r, NORM_INFINITY, &most));
    PetscCall(VecDestroy(&r));
    if (most <= *(const double *)goal) *reason = KSP_CONVERGED_RTOL;
    return 0;
}

static double cpu_now(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/// The fastest settings that were found, not the defaults.
static const struct method {
    const char *name, *kind, *options;
} methods[] = {
    {"hypre BoomerAMG", PCHYPRE,
     "-pc_hypre_type boomeramg -pc_hypre_boomeramg_coarsen_type PMIS "
     "-pc_hypre_boomeramg_interp_type ext+i -pc_hypre_boomeramg_P_max 4 "
     "-pc_hypre_boomeramg_agg_nl 1"},
    {"PETSc GAMG", PCGAMG, "-pc_gamg_square_graph 2"},
};

static PetscErrorCode solve_with(const struct method *method, Mat matrix, Vec b, Vec x, outcome *o)
{
    KSP ksp;
    PC pc;
    PetscReal start, most;
    Vec r;
    PetscInt iterations;
    PetscCall(VecNorm(b, NORM_INFINITY, &start));
    double goal = 1e-6 * (double)start;
    PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
    PetscCall(KSPSetOperators(ksp, matrix, matrix));
    PetscCall(KSPSetType(ksp, KSPCG));
    PetscCall(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
    PetscCall(KSPSetTolerances(ksp, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, 500));
    PetscCall(KSPSetConvergenceTest(ksp, in_max_norm, &goal, NULL));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCSetType(pc, method->kind));
    PetscCall(PetscOptionsInsertString(NULL, method->options));
    PetscCall(KSPSetFromOptions(ksp));
    const double begun = cpu_now();
    PetscCall(KSPSetUp(ksp));
    const double ready = cpu_now();
    PetscCall(VecSet(x, 0.0));
    PetscCall(KSPSolve(ksp, b, x));
    o->setup = ready - begun;
    o->solve = cpu_now() - ready;
    PetscCall(KSPGetIterationNumber(ksp, &iterations));
    o->iterations = (int)iterations;
    PetscCall(VecDuplicate(b, &r));
    PetscCall(MatMult(matrix, x, r));
    PetscCall(VecAXPY(r, -1.0, b));
    PetscCall(VecNorm(r, NORM_INFINITY, &most));
    o->residual = (double)(most / start);
    PetscCall(VecDestroy(&r));
    return KSPDestroy(&ksp);
}

static void print(const sp_bench_context *context, const char *name, const char *method, double n,
                  double ours, const outcome *o)
{
    const double all = o->setup + o->solve;
    fprintf(
        context->out,
        context->json
            ? "{\"bench\":\"poisson\",\"case\":\"%s\",\"method\":\"%s\",\"threads\":1,"
              "\"build_ns_per_voxel\":%.1f,\"iterations_1e6\":%d,\"ns_per_voxel_1e6\":%.1f,"
              "\"residual_1e6\":%.3g,\"apart\":%.3g,\"times_ours\":%.1f}\n"
            : "%-13s %-16s build %6.0f ns/voxel, %3d iterations, solve %6.0f ns/voxel, residual "
              "%.2g, apart %.2g: %.1f times ours\n",
        name, method, 1e9 * o->setup / n, o->iterations, 1e9 * o->solve / n, o->residual, o->apart,
        all / ours);
    fflush(context->out);
}

/// Both solutions are accurate to 1e-6 of the right-hand side. For singular systems the constants
/// differ, so means are subtracted; this changes nothing for the others.
static PetscErrorCode compare_answers(const numbering *n, Vec x, const float *ours, double *apart)
{
    const PetscScalar *theirs;
    double mean = 0.0, most = 0.0, off = 0.0;
    const size_t cells = n->c->tiles.count * SP_TILE_VOXELS;
    PetscCall(VecGetArrayRead(x, &theirs));
    for (int pass = 0; pass < 2; ++pass)
        for (size_t i = 0; i < cells; ++i) {
            if (n->number[i] == UINT32_MAX) continue;
            const double gap = (double)theirs[n->number[i]] - (double)ours[i];
            if (pass == 0) mean += gap / (double)n->count;
            most = fmax(most, fabs((double)ours[i]));
            off = pass ? fmax(off, fabs(gap - mean)) : 0.0;
        }
    *apart = off / most;
    return VecRestoreArrayRead(x, &theirs);
}

/// A matrix without any extra is singular: PETSc is told so, and b gets mean 0.
static PetscErrorCode free_constant(const numbering *n, Mat matrix, Vec b)
{
    MatNullSpace constants;
    for (size_t i = 0; i < n->c->tiles.count * SP_TILE_VOXELS; ++i)
        if (extra_of(n->c, i) > 0.0f) return 0;
    PetscCall(MatNullSpaceCreate(PETSC_COMM_SELF, PETSC_TRUE, 0, NULL, &constants));
    PetscCall(MatSetNullSpace(matrix, constants));
    PetscCall(MatNullSpaceRemove(constants, b));
    return MatNullSpaceDestroy(&constants);
}

static PetscErrorCode compare(const sp_bench_context *context, const char *name, const numbering *n,
                              const float *ours, double seconds)
{
    Mat matrix;
    Vec b, x;
    PetscCall(PetscInitializeNoArguments());
    PetscCall(assemble(n, &matrix, &b, &x));
    PetscCall(free_constant(n, matrix, b));
    for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m) {
        outcome o = {0};
        PetscCall(solve_with(&methods[m], matrix, b, x, &o));
        PetscCall(compare_answers(n, x, ours, &o.apart));
        print(context, name, methods[m].name, (double)n->count, seconds, &o);
    }
    PetscCall(VecDestroy(&b));
    PetscCall(VecDestroy(&x));
    return MatDestroy(&matrix); // PETSc stays open: it cannot be initialised twice
}

sp_status sp_bench_petsc(const sp_bench_context *context, const char *name,
                         const sp_poisson_case *c, const float *x, double ours, sp_error *err)
{
    numbering n;
    SP_TRY(number_unknowns(&n, c, err));
    const PetscErrorCode code = compare(context, name, &n, x, ours);
    sp_release(c->host, n.number);
    return code ? sp_fail(err, SP_NO_MEMORY, "PETSc ended with error %d", (int)code) : SP_OK;
}
#endif
