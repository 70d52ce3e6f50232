import { type CustodyError, CustodyRefused, CustodyUnavailable } from "@bursar/core/port/KeyCustody"
import { Duration, Effect, Exit, Fiber, Redacted, Result, Schedule, type Scope, Semaphore } from "effect"
import type Pkcs11 from "pkcs11js"
import { custodyName, type Pkcs11Options } from "../Pkcs11Options.ts"
import { type Cryptoki, loadCryptoki } from "./cryptoki.ts"
import { custodyError, isLoss, isPin, native, type NativeFailure, nativeFailure } from "./failures.ts"

const sessionsMaxDefault = 8
const timeoutMsDefault = 30_000

/** How often sessions are opened anew for one call. */
const reopenings = 4
const reopenAfter = Duration.millis(50)

/** What a call to the token has to work with. */
export interface Session extends Cryptoki {
  readonly handle: Pkcs11.Handle
  /** Counts up when everything was opened anew: handles of objects are of one epoch. */
  readonly epoch: number
}

/** A token with a pool of sessions that are logged in. */
export interface Token {
  /** Lends a session. Where sessions were lost, everything is opened anew and the call made again, a few times. */
  readonly use: <A>(
    doing: string,
    call: (session: Session) => Effect.Effect<A, NativeFailure | CustodyError>
  ) => Effect.Effect<A, CustodyError>
}

const trimmed = (text: string): string => text.replaceAll("\u0000", "").trimEnd()

/** The slot of the token with a label: exactly one must have it. */
const slotOf = Effect.fnUntraced(function* ({ module }: Cryptoki, label: string) {
  const [slot, ...others] = yield* native(() =>
    module.C_GetSlotList(true).filter((one) =>
      // a slot whose token cannot be read is not the one
      Result.getOrElse(
        Result.try(() => trimmed(module.C_GetTokenInfo(one).label) === label),
        () => false
      )
    )
  )
  const told = { custody: custodyName, doing: "find the token" }
  if (slot === undefined) return yield* new CustodyUnavailable({ ...told, reason: `no token is called ${label}` })
  if (others.length > 0) return yield* new CustodyRefused({ ...told, reason: `several tokens are called ${label}` })
  return slot
})

/** Opens a session and logs in, where nobody is: the login counts for all sessions of the process. */
const openSession = (cryptoki: Cryptoki, { pin, token }: Pkcs11Options) =>
  Effect.gen(function* () {
    const { constants, module } = cryptoki
    const slot = yield* slotOf(cryptoki, token)
    const handle = yield* native(() =>
      module.C_OpenSession(slot, constants.CKF_RW_SESSION | constants.CKF_SERIAL_SESSION)
    )
    yield* native(() => module.C_Login(handle, constants.CKU_USER, Redacted.value(pin))).pipe(
      Effect.catchIf(
        ({ code }) => code === "CKR_USER_ALREADY_LOGGED_IN",
        () => Effect.void
      ),
      Effect.onError(() => Effect.sync(() => Result.try(() => module.C_CloseSession(handle))))
    )
    return handle
  })

const isNative = (error: NativeFailure | CustodyError): error is NativeFailure => error._tag === "NativeFailure"

/** A token of a module that is loaded. Nothing is asked of it before the first call. */
export const tokenOf = Effect.fnUntraced(function* (
  cryptoki: Cryptoki,
  options: Pkcs11Options
): Effect.fn.Return<Token, never, Scope.Scope> {
  const { sessionsMax = sessionsMaxDefault, timeoutMs = timeoutMsDefault } = options
  const permits = yield* Semaphore.make(sessionsMax)
  const opening = yield* Semaphore.make(1)
  let free: Array<Session> = []
  /** Calls that were given up and still run. */
  let givenUp = 0
  let epoch = 0
  let refusedPin: NativeFailure | undefined

  const close = ({ handle }: Session) => Effect.sync(() => Result.try(() => cryptoki.module.C_CloseSession(handle)))

  /** One at a time, so that a wrong PIN is tried once. */
  const open = opening.withPermits(1)(
    Effect.gen(function* () {
      if (refusedPin !== undefined) return yield* Effect.fail(refusedPin)
      const handle = yield* openSession(cryptoki, options).pipe(
        Effect.tapError((error) =>
          Effect.sync(() => {
            if (isNative(error) && isPin(error)) refusedPin = error
          })
        )
      )
      return { ...cryptoki, handle, epoch } satisfies Session
    })
  )

  const acquire = Effect.suspend(() => {
    const there = free.pop()
    return there === undefined ? open : Effect.succeed(there)
  })

  /** A session whose call went wrong may be amid an operation: it is not lent again. */
  const release = (session: Session, exit: Exit.Exit<unknown, unknown>) => {
    // a handle of an earlier epoch may be another's by now
    if (session.epoch !== epoch) return Effect.void
    return Exit.isSuccess(exit) ? Effect.sync(() => free.push(session)) : close(session)
  }

  /** Leaves a call when it is interrupted, which ends by itself, and closes its session, once the module has answered. */
  const apart = <A, E>(call: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const fiber = yield* Effect.forkDetach(restore(call))
        return yield* restore(Fiber.join(fiber)).pipe(
          Effect.onInterrupt(() =>
            Effect.sync(() => {
              givenUp += 1
              fiber.addObserver(() => void (givenUp -= 1))
              fiber.interruptUnsafe()
            })
          )
        )
      })
    )

  /** Throws away what was open when a call of this epoch failed. */
  const forget = (failed: number) =>
    opening.withPermits(1)(
      Effect.sync(() => {
        if (failed !== epoch) return
        epoch += 1
        const old = free
        free = []
        for (const { handle } of old) Result.try(() => cryptoki.module.C_CloseSession(handle))
        // a module that was reset is initialised again; any other says that it is already
        Result.try(() => cryptoki.module.C_Initialize({ flags: cryptoki.constants.CKF_OS_LOCKING_OK }))
      })
    )

  const once = <A>(doing: string, call: (session: Session) => Effect.Effect<A, NativeFailure | CustodyError>) =>
    Effect.suspend(() => {
      const asked = epoch
      const unavailable = (reason: string) =>
        Effect.fail(new CustodyUnavailable({ custody: custodyName, doing, reason }))
      // each of them has a session of its own
      if (givenUp >= sessionsMax) return unavailable(`the token has not answered ${givenUp} calls that were given up`)
      return apart(Effect.acquireUseRelease(acquire, call, release)).pipe(
        Effect.timeoutOrElse({
          duration: timeoutMs,
          orElse: () => unavailable(`no answer within ${timeoutMs} ms`)
        }),
        Effect.tapError((error) => (isNative(error) && isLoss(error) ? forget(asked) : Effect.void))
      )
    })

  yield* Effect.addFinalizer(() => Effect.forEach(free, close, { discard: true }))

  return {
    use: (doing, call) =>
      permits
        .withPermits(1)(once(doing, call))
        .pipe(
          Effect.retry({
            while: (error) => isNative(error) && isLoss(error),
            times: reopenings,
            schedule: Schedule.jittered(Schedule.exponential(reopenAfter))
          }),
          Effect.mapError((error) => (isNative(error) ? custodyError(doing, error) : error))
        )
  }
})

/** Makes a throwing synchronous call one that fails. */
export const nativeSync = <A>(call: () => A): Effect.Effect<A, NativeFailure> =>
  Effect.try({ try: call, catch: nativeFailure })

/** Loads a module and gives its token. */
export const openToken = (options: Pkcs11Options): Effect.Effect<Token, CustodyUnavailable, Scope.Scope> =>
  Effect.flatMap(loadCryptoki(options.module), (cryptoki) => tokenOf(cryptoki, options))
