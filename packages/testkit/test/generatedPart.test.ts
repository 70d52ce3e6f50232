import { describe, expect, it } from "@effect/vitest"
import { generatedPart } from "../src/generatedPart.ts"

const page = `# Page

<!-- one: generated -->
old
<!-- one: end -->

Written by a person.

<!-- two: generated -->
<!-- two: end -->
`

describe("a generated part of a page", () => {
  it("is replaced, and nothing beside it, however often it is written", () => {
    const once = generatedPart(page, "one", ["new", "lines"])
    expect(once).toBe(page.replace("<!-- one: generated -->\nold\n", "<!-- one: generated -->\n\nnew\nlines\n\n"))
    expect(generatedPart(once, "one", ["new", "lines"])).toBe(once)
  })

  it("is refused where the page has no place for it", () => {
    expect(() => generatedPart(page, "three", [])).toThrow('no part "three"')
    const backwards = "<!-- one: end -->\n<!-- one: generated -->"
    expect(() => generatedPart(backwards, "one", [])).toThrow('no part "one"')
  })
})
