/** A key that a partner hands over, and how it is wrapped for the vaults of worlds: wrapping takes luck, which no seed gives. */
export interface HandedKey {
  /** Of secp256k1, compressed, in hexadecimal. */
  readonly publicKey: string
  /** By RSA-OAEP-SHA256, in base64. */
  readonly wrapped: string
}

/** The keys of each partner (the private ones are SHA-256 of `handed over by partner 0, 0`, and so on). */
export const handedKeys: readonly [ReadonlyArray<HandedKey>, ReadonlyArray<HandedKey>] = [
  [
    {
      publicKey: "03a200443c0861517302464a89b1b7ea0ad1925186ad792d0f7642ef631b5e51f0",
      wrapped: [
        "necuC11yhqu+vNl4Nhyvz+Su6FvIXGjcWqENK5TkeHVRgUqfQoEk2RpqoM5Cz5Jle5z8C1FwqKupx12/TLk5yu3OvKPL",
        "2pRh6AY5rJ3+JYQdyR7dpW0AEojOomXUaxtEVFNfHqpWQ6G2iTdXGIpTLmdkymHqGCDkuh1p5UY/uXSw5pvhzZVsiJtB",
        "0NRYtw1ZHrPh4JHWXdWsojPYX/2ZgHIO9hggF0sETCKhTy6sbxF2+QNAsYx0sxnJlV5mtmu01D1WtaVe/ziIoGLxV8sp",
        "Ie54hwjJyoOUh1s3VcHz+bPS3AA4If7kGKTCYu/uq1ql4wMvKf+iTedS7SRZSBv17cWl9FOYZo6DyTdBhu2pSgEEhbRm",
        "oA+UFUB+WROcb42DOCkk6X5RdxVoggFByr3830q6fGNXg3mk1rmIz5PaXYkQNWGxj0dYP0iyl+TKEcAnUoVlnggFkXZH",
        "IFYwq1EET1nW+KVxVICl/HTTf105I/UAB58sO03Ph8hFPBkeQlpH"
      ].join("")
    },
    {
      publicKey: "02093b8331c2779e99fefb90428429e795a8dda7f9f5fdf27b062ed0c3e49d6ecf",
      wrapped: [
        "m6S1M2rQ6+W+Xjnmshjc6dp61f2bLO2y3pL14qF7UhQPheEGkNoHwwuqeirmeKVXsRFBBt9ysIFHxlbLbFXWm43jofWV",
        "/hGWWvgyoucjv5eNxSXw3qWYDpojcAZC20yF/2qoWhgmPANN38/EqBmeRjhMMBVrW5FbYG8RZKU+67t3Qy5xBTEfJHPI",
        "1ogVw8rGhzSR3TGsSbLK42Q4XYKzDt/Va15Wl0jQHvbn8WQjrfPyIvISPj5tjUawIhqcZu1raowYb0xV3etHczJdDPed",
        "B6ITvtXzh8IoMqOYREaGdleH34G9g0hou3RxfkW4HYjy3oOBg9ikmKEhPXZQb6EFewqMxxSTSY8e3XBtngfFhZMv7ez+",
        "wTXxt1rr32gv2/l10hoGOF4H0g/e6G/stJ3d6CgLNtSZtIjo+I144XHEULO8zjG+51hloD6NphhoDuPmzIYBypYTbQri",
        "DpKu0gW2S43qHEsrLHn2aGFVY/bMZRvTJaFNttiz+b/Xc/ozgD0G"
      ].join("")
    }
  ],
  [
    {
      publicKey: "02dd435844cb178fa32a5ea7bcfad25db114fd792c4de27fabc9446e2cf88b009d",
      wrapped: [
        "ouUHzDVBIbuk+0APgtntq63sqQRSQRC1YAGumAhxatVhRorn0SukOucYH/5hFJk5wj3IuJKaFHxPtCJfJ4JVGpGENclo",
        "rphUayrzVpMMUgF4kqHdzoJEBIP3RsGQKEGt4p2Xs/D1XSq/0g4SNGAXracBByHNEvQQJ1LuhV4ggzhipoYgfkEfKGSw",
        "9IK+tYDHs1sYdn4x13JjKsO0NRgiLf2Oko+xV/PqhZss9dx9i9UUhlc9ZXoeL/RfUMYKq5Ohk4H+RkSTDCYrEV/AVmwd",
        "13yS/PhCM5TRqrEpHyewswpGOq/Cp5SbshBsWpg2khu1f/WT8Kqg9KIgS8qq3DUwOlVGUfThflzGkHifuOtTzBXMZTI7",
        "hy5wpTRrFLFnND2BbJj8zkZBHpau7/VsJKB2WB6sXn6MsEaU0SHYUErGL3kJ4NkjVy+YQocmlRR0Hp73vBLDXsvgG3fJ",
        "4jh/DKimWX6p+j7nkgVsZWxB9CX57us6sQY882Me5EQDGh9Owq50"
      ].join("")
    },
    {
      publicKey: "0216b315fb3e582dc1b334e0c5e1827d8483752112c85a0831e4d6c49bb6d8d378",
      wrapped: [
        "p85Mig+VVRAYoThbusz3WBkkQ6Ahe1Jw4/ywZoqDCCZWyKten3KQQuSyvklaO81hPlI+YYljFqbG6ZX0f0KrgUiwVwC3",
        "4HZMdVNaJEj3tp3nHqrjiXPMI9pp/LQZYLp0IAfRUIQ+P8P09Zh5uiiIvVKc820ffHvvVZXxhfQyZaR0O5z+J5Q4CYCa",
        "zd4UfX3ccSCVc2SkwFuyvJ4nwlEPN5A+sZPGpeDRp3VVrNbbpU1Vy2oxPJEGezQmSX+ElNpR64JPN5yGRikshJ00RJuW",
        "f/Wra3v5a68RlqfsuNSz9y0a50dSZFeL57Ur/aQoVcAjnrUe95k0ZOjDuoOmIrNg6jGprJt2GORWHQ/S6FNNg1y1rKDh",
        "70FwE2klolgK6y4k/6LlqAMkm73loHddR48WS8MS+rbvd2mItmQDz9TRINjlFJF9lkKGcqQKaBj4pi2P6rQvlRKz6n2c",
        "AOhKH4XKsBvHa4TXEoS/G1Q3hSiHpaUHGrMz2yKldV5bFUKtMQwz"
      ].join("")
    }
  ]
]
