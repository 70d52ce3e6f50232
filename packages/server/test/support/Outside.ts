import { Effect, type Context, Layer } from "effect"

/** Everything outside, which a test can cut off: what is called after that is noted, and dies. */
export interface Outside {
  cutOff: boolean
  /** What was called while all was cut off. */
  readonly called: Array<string>
}

/** An outside that is reached. */
export const reachable = (): Outside => ({ cutOff: false, called: [] })

/** Something outside that the test can cut off, such as the node of a network. */
export const guarded = <T extends object>(name: string, service: T, outside: Outside): T => {
  const guard = (what: string, effect: Effect.Effect<unknown>) =>
    Effect.suspend(() => {
      if (!outside.cutOff) return effect
      outside.called.push(what)
      return Effect.die(new Error(`${what} was called`))
    })
  const wrapped = (what: string, value: unknown): unknown => {
    // the kinds of failure stay what they are: a guard adds none but a defect
    if (Effect.isEffect(value)) return guard(what, value as Effect.Effect<unknown>)
    if (typeof value === "function")
      return (...given: ReadonlyArray<unknown>) => wrapped(what, Reflect.apply(value, service, given))
    // the adapter of a network, which a port gives by its name
    return typeof value === "object" && value !== null && Object.values(value).some((one) => typeof one === "function")
      ? guarded(what, value, outside)
      : value
  }
  return new Proxy(service, { get: (target, key) => wrapped(`${name}.${String(key)}`, Reflect.get(target, key)) })
}

/** A service that the test can cut off. */
export const cuttable = <I, S extends object>(port: Context.Key<I, S>, outside: Outside) =>
  Layer.effect(
    port,
    Effect.map(port, (service) => guarded(port.key.split("/").at(-1) ?? "", service, outside))
  )
