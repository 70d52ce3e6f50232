import type { Random } from "@bursar/simulation/kernel/Random"
import { type Draft, headerOf, withHeader, withoutHeader } from "./Draft.ts"

const replaced = (draft: Draft, name: string, from: string | RegExp, to: string): Draft =>
  withHeader(
    draft,
    name,
    (headerOf(draft, name) ?? "").replace(from, () => to)
  )

const flipped = (text: string, at: number): string =>
  `${text.slice(0, at)}${text[at] === "A" ? "B" : "A"}${text.slice(at + 1)}`

/** What is broken of a signature after it was made. */
const breakers: Readonly<Record<string, (draft: Draft, random: Random) => Draft>> = {
  "no signature": (draft) => withoutHeader(draft, "signature"),
  "no signature input": (draft) => withoutHeader(draft, "signature-input"),
  "no digest": (draft) => withoutHeader(draft, "content-digest"),
  "another signature": (draft, random) =>
    withHeader(draft, "signature", flipped(headerOf(draft, "signature") ?? "", 6 + random.below(80))),
  "another label": (draft) => replaced(draft, "signature", "sig", "gis"),
  "two labels": (draft) =>
    withHeader(draft, "signature-input", `${headerOf(draft, "signature-input") ?? ""}, x=("@method")`),
  "less coverage": (draft) => replaced(draft, "signature-input", ' "content-digest"', ""),
  "no coverage": (draft) => replaced(draft, "signature-input", /\([^)]*\)/u, "()"),
  "covered twice": (draft) => replaced(draft, "signature-input", '"@method"', '"@method" "@method"'),
  "an unknown key": (draft) => replaced(draft, "signature-input", /keyid="."?/u, 'keyid="z'),
  "an old one": (draft) => replaced(draft, "signature-input", /created=\d+;expires=\d+/u, "created=1;expires=2"),
  "one of tomorrow": (draft) =>
    replaced(draft, "signature-input", /created=\d+;expires=\d+/u, "created=99999999999;expires=99999999999999999"),
  "a fraction": (draft) => replaced(draft, "signature-input", /created=\d+/u, "created=1.5"),
  "another tag": (draft) => replaced(draft, "signature-input", "bursar-v1", "bursar-v2"),
  "another algorithm": (draft) =>
    withHeader(draft, "signature-input", `${headerOf(draft, "signature-input") ?? ""};alg="none"`),
  "a parameter twice": (draft) =>
    withHeader(draft, "signature-input", `${headerOf(draft, "signature-input") ?? ""};nonce="x"`),
  "another digest": (draft, random) =>
    withHeader(draft, "content-digest", flipped(headerOf(draft, "content-digest") ?? "", 10 + random.below(30))),
  "another digest algorithm": (draft) => replaced(draft, "content-digest", "sha-256", "md5"),
  "another body": (draft) => ({ ...draft, body: Buffer.concat([draft.body ?? Buffer.alloc(0), Buffer.from(" ")]) }),
  "another idempotency key": (draft) => withHeader(draft, "idempotency-key", "moved-on"),
  "another host": (draft) => withHeader(draft, "host", "evil.example"),
  "a query": (draft) => ({ ...draft, query: "a=1" }),
  "structure that is none": (draft, random) =>
    withHeader(
      draft,
      random.pick(["signature-input", "signature", "content-digest"]),
      random.pick([
        ...(["sig1=", "=", "sig1=(", 'sig1=("', "sig1=:", "sig1=::", "sig1=:=:", ";;;", "(((((((((", "sig1"] as const),
        ...([
          'sig1=("@method";sf;bs)',
          "sig1=?1",
          "sig1=1e9",
          'sig1="\\',
          "é",
          "a".repeat(9_000),
          "__proto__=()"
        ] as const)
      ])
    )
}

const names = Object.keys(breakers)

/** A signed request whose signature is broken in one way, and what that is. */
export const breakSignature = (draft: Draft, random: Random): { readonly what: string; readonly draft: Draft } => {
  const what = names[random.below(names.length)] ?? ""
  return { what, draft: breakers[what]?.(draft, random) ?? draft }
}
