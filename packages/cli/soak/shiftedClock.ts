import { readFileSync } from "node:fs"

/**
 * Loaded into a process before all else (`node --import`): its wall clock is off by as many milliseconds as the file in `CLOCK_FILE`
 * says, which is read again at each SIGUSR2. The time that has passed goes on as it does, as it would on a machine whose clock is set.
 */
const file = process.env["CLOCK_FILE"]
const TrueDate = Date
let offMs = 0

const read = (): void => {
  if (file !== undefined) offMs = Number(readFileSync(file, "utf8"))
}

const now = (): number => TrueDate.now() + offMs

globalThis.Date = new Proxy(TrueDate, {
  construct: (target, given: ReadonlyArray<unknown>, made) =>
    Reflect.construct(target, given.length === 0 ? [now()] : given, made),
  apply: () => new TrueDate(now()).toString(),
  get: (target, name, receiver) => (name === "now" ? now : Reflect.get(target, name, receiver))
})

read()
process.on("SIGUSR2", read)
