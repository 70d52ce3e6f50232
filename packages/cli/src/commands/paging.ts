import { printable } from "@bursar/api/wire/printable"
import { Console, Effect, type Option } from "effect"
import { Flag } from "effect/cli"
import { given } from "./operator.ts"

/** The flags of a list that is read page by page. */
export const pageFlags = {
  cursor: Flag.String("cursor").pipe(Flag.withDescription("Continue after a printed page"), Flag.optional),
  limit: Flag.Int("limit").pipe(Flag.withDescription("At most so many"), Flag.withDefault(50))
}

/** The page that flags ask for. */
export const pageAsked = ({ cursor, limit }: { readonly cursor: Option.Option<string>; readonly limit: number }) => ({
  limit,
  ...given("cursor", cursor)
})

/** Says below a page that there are more, and how to see them: to people alone, since a program reads nothing but the page. */
export const tellMore = (next: string | null): Effect.Effect<void> =>
  next === null ? Effect.void : Console.error(`There are more: --cursor ${printable(next)}`)
