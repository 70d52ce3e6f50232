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

  const first = frame(firstChain, Buffer.from('{"entry":1}'))
  const second = frame(first.chain, Buffer.from(`{"entry":${"2".repeat(300)}}`))
  const third = frame(second.chain, Buffer.from('{"entry":3}'))
  const start = Buffer.concat([magic, first.bytes])

  it("is left without its last entries where a crash left only a part of what was written, with or without its length", () => {
    const written = Buffer.concat([second.bytes, third.bytes])
    for (let kept = 0; kept < written.length; kept++) {
      const part = written.subarray(0, kept)
      for (const tail of [part, Buffer.concat([part, Buffer.alloc(written.length - kept)])]) {
        const { end, fault, frames } = readFrames(Buffer.concat([start, tail]))
        assert.isUndefined(fault, `${kept} of ${written.length}`)
        const whole = kept < second.bytes.length ? 1 : 2
        assert.lengthOf(frames, whole)
        assert.strictEqual(end, start.length + (whole === 1 ? 0 : second.bytes.length))
      }
    }
  })

  it("was damaged where an entry was changed, or taken out, before another one", () => {
    for (let at = 0; at < second.bytes.length; at++) {
      const gone = Buffer.concat([second.bytes.subarray(0, at), Buffer.alloc(second.bytes.length - at)])
      const flipped = Buffer.from(second.bytes)
      flipped.writeUInt8(flipped.readUInt8(at) ^ 1, at)
      for (const bad of [gone, flipped])
        assert.isDefined(readFrames(Buffer.concat([start, bad, third.bytes])).fault, `byte ${at}`)
      // one bit of the last entry is no crash, either
      assert.isDefined(readFrames(Buffer.concat([start, flipped])).fault, `byte ${at}`)
    }
  })
})
