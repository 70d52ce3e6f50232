import { Effect } from "effect"

/** A port whose every call goes through a gate, but for those that it lets pass as they are. */
export const through = <S extends object>(
  service: S,
  name: string,
  pass: <A, E>(what: string, call: Effect.Effect<A, E>) => Effect.Effect<A, E>
): S =>
  new Proxy(service, {
    get: (target, key) => {
      const found: unknown = Reflect.get(target, key)
      const what = `${name}.${String(key)}`
      // whatever it succeeds or fails with is what the port's own call does
      const passed = (call: unknown) =>
        Effect.isEffect(call) ? pass(what, call as Effect.Effect<unknown, unknown>) : call
      if (typeof found !== "function") return passed(found)
      return (...given: ReadonlyArray<unknown>) => passed(Reflect.apply(found, target, given))
    }
  })
