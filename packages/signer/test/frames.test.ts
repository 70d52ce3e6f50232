import { assert, describe, it } from "@effect/vitest"
import { frame, firstChain, magic, readFrames } from "@bursar/signer/store/frames"

describe("the file of a store", () => {
  it("begins anew where a crash left a part of its beginning, or zeros in its place", () => {
    for (let length = 0; length < magic.length; length++) {
      const part = magic.subarray(0, length)
      for (const file of [part, Buffer.concat([part, Buffer.alloc(magic.length - length)])])
        assert.deepInclude(readFrames(file), { end: 0, fault: undefined, frames: [] })
    }
  })

  it("was damaged where its beginning is gone, and something stands behind it", () => {
    const { bytes } = frame(firstChain, Buffer.from("an entry"))
    assert.include(readFrames(Buffer.concat([Buffer.alloc(magic.length), bytes])).fault, "does not begin")
    assert.include(readFrames(Buffer.from("NOSTORE1")).fault, "does not begin")
  })
})
