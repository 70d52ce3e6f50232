import { writeLine } from "./demo/screen.ts"
import { Logger, References } from "effect"

const text = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? String(value)))

/** A log line for a person who watches a local service: time, level where it matters, words, then what belongs to them. */
export const layerLogLines = Logger.layer([
  Logger.make(({ cause, date, fiber, logLevel, message }) => {
    const words = (Array.isArray(message) ? message : [message]).map(text).join(" ")
    const facts = Object.entries(fiber.getRef(References.CurrentLogAnnotations)).map(
      ([name, value]) => `${name}=${text(value)}`
    )
    const level = logLevel === "Info" ? [] : [logLevel.toUpperCase()]
    const why = cause.reasons.length === 0 ? [] : [String(cause)]
    writeLine([date.toTimeString().slice(0, 8), ...level, words, ...facts, ...why].join("  "))
  })
])
