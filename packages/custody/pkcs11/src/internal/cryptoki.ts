import { CustodyUnavailable } from "@bursar/core/port/KeyCustody"
import { Effect, Result, type Scope } from "effect"
import type Pkcs11 from "pkcs11js"
import { custodyName } from "../Pkcs11Options.ts"

/** The binding, and a module that it has loaded. */
export interface Cryptoki {
  readonly constants: typeof Pkcs11
  readonly module: Pkcs11.PKCS11
}

/** A module may be initialised once in a process: those who share it count. */
const loaded = new Map<string, { readonly module: Pkcs11.PKCS11; users: number }>()

const unavailable = (reason: string) =>
  new CustodyUnavailable({ custody: custodyName, doing: "load the module", reason })

/** Native code: it is loaded by those who use it, and may not have been built. */
const binding = Effect.tryPromise({
  // CommonJS: Node sees few of the names in the source, the constants not among them; all are under `default`
  try: async () => (await import("pkcs11js")).default,
  catch: () =>
    unavailable("the package pkcs11js cannot be loaded: allow its install script, which compiles it, and install again")
})

const initialise = (constants: typeof Pkcs11, path: string): Result.Result<Pkcs11.PKCS11, CustodyUnavailable> => {
  const module = new constants.PKCS11()
  return Result.try({
    try: () => {
      module.load(path)
      try {
        module.C_Initialize({ flags: constants.CKF_OS_LOCKING_OK })
      } catch (thrown) {
        if (!(thrown instanceof Error && thrown.message === "CKR_CRYPTOKI_ALREADY_INITIALIZED")) throw thrown
      }
      return module
    },
    catch: (thrown) =>
      unavailable(
        thrown instanceof Error && thrown.message.startsWith("CKR_")
          ? `the module answered ${thrown.message}`
          : `${path} cannot be loaded as a PKCS #11 module`
      )
  })
}

const release = (path: string) =>
  Effect.sync(() => {
    const entry = loaded.get(path)
    if (entry === undefined) return
    entry.users -= 1
    if (entry.users > 0) return
    loaded.delete(path)
    // nothing is left to be done with a module that cannot be left in order
    Result.try(() => entry.module.C_Finalize())
    Result.try(() => entry.module.close())
  })

/** Loads a module for as long as the scope lives. */
export const loadCryptoki = (path: string): Effect.Effect<Cryptoki, CustodyUnavailable, Scope.Scope> =>
  Effect.flatMap(binding, (constants) =>
    Effect.acquireRelease(
      Effect.suspend(() => {
        const there = loaded.get(path)
        if (there !== undefined) {
          there.users += 1
          return Effect.succeed({ constants, module: there.module })
        }
        return Effect.map(Effect.fromResult(initialise(constants, path)), (module) => {
          loaded.set(path, { module, users: 1 })
          return { constants, module }
        })
      }),
      () => release(path)
    )
  )
