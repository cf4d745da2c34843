/// The bytes of Bitcoin script that are not data, each under its name in lower case; `_op` ends those whose names are
/// words of the language. BIP-342 made the number after the no-ops a signature check, BIP-65 and BIP-112 made two of
/// them locks.
module bitcoin_move::opcode {
    // Nothing, or one byte, pushed to the stack: the numbers of their common names.
    public fun op_0(): u8 { 0x00 }
    public fun op_false(): u8 { 0x00 }
    public fun op_true(): u8 { 0x51 }

    // Push as many bytes as the name says.
    public fun op_pushbytes_0(): u8 { 0x00 }
    public fun op_pushbytes_1(): u8 { 0x01 }
    public fun op_pushbytes_2(): u8 { 0x02 }
    public fun op_pushbytes_3(): u8 { 0x03 }
    public fun op_pushbytes_4(): u8 { 0x04 }
    public fun op_pushbytes_5(): u8 { 0x05 }
    public fun op_pushbytes_6(): u8 { 0x06 }
    public fun op_pushbytes_7(): u8 { 0x07 }
    public fun op_pushbytes_8(): u8 { 0x08 }
    public fun op_pushbytes_9(): u8 { 0x09 }
    public fun op_pushbytes_10(): u8 { 0x0a }
    public fun op_pushbytes_11(): u8 { 0x0b }
    public fun op_pushbytes_12(): u8 { 0x0c }
    public fun op_pushbytes_13(): u8 { 0x0d }
    public fun op_pushbytes_14(): u8 { 0x0e }
    public fun op_pushbytes_15(): u8 { 0x0f }
    public fun op_pushbytes_16(): u8 { 0x10 }
    public fun op_pushbytes_17(): u8 { 0x11 }
    public fun op_pushbytes_18(): u8 { 0x12 }
    public fun op_pushbytes_19(): u8 { 0x13 }
    public fun op_pushbytes_20(): u8 { 0x14 }
    public fun op_pushbytes_21(): u8 { 0x15 }
    public fun op_pushbytes_22(): u8 { 0x16 }
    public fun op_pushbytes_23(): u8 { 0x17 }
    public fun op_pushbytes_24(): u8 { 0x18 }
    public fun op_pushbytes_25(): u8 { 0x19 }
    public fun op_pushbytes_26(): u8 { 0x1a }
    public fun op_pushbytes_27(): u8 { 0x1b }
    public fun op_pushbytes_28(): u8 { 0x1c }
    public fun op_pushbytes_29(): u8 { 0x1d }
    public fun op_pushbytes_30(): u8 { 0x1e }
    public fun op_pushbytes_31(): u8 { 0x1f }
    public fun op_pushbytes_32(): u8 { 0x20 }
    public fun op_pushbytes_33(): u8 { 0x21 }
    public fun op_pushbytes_34(): u8 { 0x22 }
    public fun op_pushbytes_35(): u8 { 0x23 }
    public fun op_pushbytes_36(): u8 { 0x24 }
    public fun op_pushbytes_37(): u8 { 0x25 }
    public fun op_pushbytes_38(): u8 { 0x26 }
    public fun op_pushbytes_39(): u8 { 0x27 }
    public fun op_pushbytes_40(): u8 { 0x28 }
    public fun op_pushbytes_41(): u8 { 0x29 }
    public fun op_pushbytes_42(): u8 { 0x2a }
    public fun op_pushbytes_43(): u8 { 0x2b }
    public fun op_pushbytes_44(): u8 { 0x2c }
    public fun op_pushbytes_45(): u8 { 0x2d }
    public fun op_pushbytes_46(): u8 { 0x2e }
    public fun op_pushbytes_47(): u8 { 0x2f }
    public fun op_pushbytes_48(): u8 { 0x30 }
    public fun op_pushbytes_49(): u8 { 0x31 }
    public fun op_pushbytes_50(): u8 { 0x32 }
    public fun op_pushbytes_51(): u8 { 0x33 }
    public fun op_pushbytes_52(): u8 { 0x34 }
    public fun op_pushbytes_53(): u8 { 0x35 }
    public fun op_pushbytes_54(): u8 { 0x36 }
    public fun op_pushbytes_55(): u8 { 0x37 }
    public fun op_pushbytes_56(): u8 { 0x38 }
    public fun op_pushbytes_57(): u8 { 0x39 }
    public fun op_pushbytes_58(): u8 { 0x3a }
    public fun op_pushbytes_59(): u8 { 0x3b }
    public fun op_pushbytes_60(): u8 { 0x3c }
    public fun op_pushbytes_61(): u8 { 0x3d }
    public fun op_pushbytes_62(): u8 { 0x3e }
    public fun op_pushbytes_63(): u8 { 0x3f }
    public fun op_pushbytes_64(): u8 { 0x40 }
    public fun op_pushbytes_65(): u8 { 0x41 }
    public fun op_pushbytes_66(): u8 { 0x42 }
    public fun op_pushbytes_67(): u8 { 0x43 }
    public fun op_pushbytes_68(): u8 { 0x44 }
    public fun op_pushbytes_69(): u8 { 0x45 }
    public fun op_pushbytes_70(): u8 { 0x46 }
    public fun op_pushbytes_71(): u8 { 0x47 }
    public fun op_pushbytes_72(): u8 { 0x48 }
    public fun op_pushbytes_73(): u8 { 0x49 }
    public fun op_pushbytes_74(): u8 { 0x4a }
    public fun op_pushbytes_75(): u8 { 0x4b }

    // Push as many bytes as the next one, two or four bytes say.
    public fun op_pushdata1(): u8 { 0x4c }
    public fun op_pushdata2(): u8 { 0x4d }
    public fun op_pushdata4(): u8 { 0x4e }

    // Push a small number.
    public fun op_pushnum_neg1(): u8 { 0x4f }
    public fun op_pushnum_1(): u8 { 0x51 }
    public fun op_pushnum_2(): u8 { 0x52 }
    public fun op_pushnum_3(): u8 { 0x53 }
    public fun op_pushnum_4(): u8 { 0x54 }
    public fun op_pushnum_5(): u8 { 0x55 }
    public fun op_pushnum_6(): u8 { 0x56 }
    public fun op_pushnum_7(): u8 { 0x57 }
    public fun op_pushnum_8(): u8 { 0x58 }
    public fun op_pushnum_9(): u8 { 0x59 }
    public fun op_pushnum_10(): u8 { 0x5a }
    public fun op_pushnum_11(): u8 { 0x5b }
    public fun op_pushnum_12(): u8 { 0x5c }
    public fun op_pushnum_13(): u8 { 0x5d }
    public fun op_pushnum_14(): u8 { 0x5e }
    public fun op_pushnum_15(): u8 { 0x5f }
    public fun op_pushnum_16(): u8 { 0x60 }

    // Control flow.
    public fun op_reserved(): u8 { 0x50 }
    public fun op_nop(): u8 { 0x61 }
    public fun op_ver(): u8 { 0x62 }
    public fun op_if_op(): u8 { 0x63 }
    public fun op_notif(): u8 { 0x64 }
    public fun op_verif(): u8 { 0x65 }
    public fun op_vernotif(): u8 { 0x66 }
    public fun op_else_op(): u8 { 0x67 }
    public fun op_endif(): u8 { 0x68 }
    public fun op_verify(): u8 { 0x69 }
    public fun op_return(): u8 { 0x6a }

    // The stack.
    public fun op_toaltstack(): u8 { 0x6b }
    public fun op_fromaltstack(): u8 { 0x6c }
    public fun op_2drop(): u8 { 0x6d }
    public fun op_2dup(): u8 { 0x6e }
    public fun op_3dup(): u8 { 0x6f }
    public fun op_2over(): u8 { 0x70 }
    public fun op_2rot(): u8 { 0x71 }
    public fun op_2swap(): u8 { 0x72 }
    public fun op_ifdup(): u8 { 0x73 }
    public fun op_depth(): u8 { 0x74 }
    public fun op_drop(): u8 { 0x75 }
    public fun op_dup(): u8 { 0x76 }
    public fun op_nip(): u8 { 0x77 }
    public fun op_over(): u8 { 0x78 }
    public fun op_pick(): u8 { 0x79 }
    public fun op_roll(): u8 { 0x7a }
    public fun op_rot(): u8 { 0x7b }
    public fun op_swap(): u8 { 0x7c }
    public fun op_tuck(): u8 { 0x7d }

    // Byte strings, all but one disabled.
    public fun op_cat(): u8 { 0x7e }
    public fun op_substr(): u8 { 0x7f }
    public fun op_left(): u8 { 0x80 }
    public fun op_right(): u8 { 0x81 }
    public fun op_size(): u8 { 0x82 }
    public fun op_invert(): u8 { 0x83 }
    public fun op_and_op(): u8 { 0x84 }
    public fun op_or_op(): u8 { 0x85 }
    public fun op_xor(): u8 { 0x86 }

    // Comparison.
    public fun op_equal(): u8 { 0x87 }
    public fun op_equalverify(): u8 { 0x88 }
    public fun op_reserved1(): u8 { 0x89 }
    public fun op_reserved2(): u8 { 0x8a }

    // Numbers.
    public fun op_1add(): u8 { 0x8b }
    public fun op_1sub(): u8 { 0x8c }
    public fun op_2mul(): u8 { 0x8d }
    public fun op_2div(): u8 { 0x8e }
    public fun op_negate(): u8 { 0x8f }
    public fun op_abs(): u8 { 0x90 }
    public fun op_not(): u8 { 0x91 }
    public fun op_0notequal(): u8 { 0x92 }
    public fun op_add(): u8 { 0x93 }
    public fun op_sub(): u8 { 0x94 }
    public fun op_mul(): u8 { 0x95 }
    public fun op_div(): u8 { 0x96 }
    public fun op_mod(): u8 { 0x97 }
    public fun op_lshift(): u8 { 0x98 }
    public fun op_rshift(): u8 { 0x99 }
    public fun op_booland(): u8 { 0x9a }
    public fun op_boolor(): u8 { 0x9b }
    public fun op_numequal(): u8 { 0x9c }
    public fun op_numequalverify(): u8 { 0x9d }
    public fun op_numnotequal(): u8 { 0x9e }
    public fun op_lessthan(): u8 { 0x9f }
    public fun op_greaterthan(): u8 { 0xa0 }
    public fun op_lessthanorequal(): u8 { 0xa1 }
    public fun op_greaterthanorequal(): u8 { 0xa2 }
    public fun op_min(): u8 { 0xa3 }
    public fun op_max(): u8 { 0xa4 }
    public fun op_within(): u8 { 0xa5 }

    // Hashes and signatures.
    public fun op_ripemd160(): u8 { 0xa6 }
    public fun op_sha1(): u8 { 0xa7 }
    public fun op_sha256(): u8 { 0xa8 }
    public fun op_hash160(): u8 { 0xa9 }
    public fun op_hash256(): u8 { 0xaa }
    public fun op_codeseparator(): u8 { 0xab }
    public fun op_checksig(): u8 { 0xac }
    public fun op_checksigverify(): u8 { 0xad }
    public fun op_checkmultisig(): u8 { 0xae }
    public fun op_checkmultisigverify(): u8 { 0xaf }
    public fun op_checksigadd(): u8 { 0xba }

    // No-ops, and the two that became locks.
    public fun op_nop1(): u8 { 0xb0 }
    public fun op_nop2(): u8 { 0xb1 }
    public fun op_cltv(): u8 { 0xb1 }
    public fun op_nop3(): u8 { 0xb2 }
    public fun op_csv(): u8 { 0xb2 }
    public fun op_nop4(): u8 { 0xb3 }
    public fun op_nop5(): u8 { 0xb4 }
    public fun op_nop6(): u8 { 0xb5 }
    public fun op_nop7(): u8 { 0xb6 }
    public fun op_nop8(): u8 { 0xb7 }
    public fun op_nop9(): u8 { 0xb8 }
    public fun op_nop10(): u8 { 0xb9 }

    // Undefined: end the script where it is run, or make any witness of version 1 valid.
    public fun op_return_187(): u8 { 0xbb }
    public fun op_return_188(): u8 { 0xbc }
    public fun op_return_189(): u8 { 0xbd }
    public fun op_return_190(): u8 { 0xbe }
    public fun op_return_191(): u8 { 0xbf }
    public fun op_return_192(): u8 { 0xc0 }
    public fun op_return_193(): u8 { 0xc1 }
    public fun op_return_194(): u8 { 0xc2 }
    public fun op_return_195(): u8 { 0xc3 }
    public fun op_return_196(): u8 { 0xc4 }
    public fun op_return_197(): u8 { 0xc5 }
    public fun op_return_198(): u8 { 0xc6 }
    public fun op_return_199(): u8 { 0xc7 }
    public fun op_return_200(): u8 { 0xc8 }
    public fun op_return_201(): u8 { 0xc9 }
    public fun op_return_202(): u8 { 0xca }
    public fun op_return_203(): u8 { 0xcb }
    public fun op_return_204(): u8 { 0xcc }
    public fun op_return_205(): u8 { 0xcd }
    public fun op_return_206(): u8 { 0xce }
    public fun op_return_207(): u8 { 0xcf }
    public fun op_return_208(): u8 { 0xd0 }
    public fun op_return_209(): u8 { 0xd1 }
    public fun op_return_210(): u8 { 0xd2 }
    public fun op_return_211(): u8 { 0xd3 }
    public fun op_return_212(): u8 { 0xd4 }
    public fun op_return_213(): u8 { 0xd5 }
    public fun op_return_214(): u8 { 0xd6 }
    public fun op_return_215(): u8 { 0xd7 }
    public fun op_return_216(): u8 { 0xd8 }
    public fun op_return_217(): u8 { 0xd9 }
    public fun op_return_218(): u8 { 0xda }
    public fun op_return_219(): u8 { 0xdb }
    public fun op_return_220(): u8 { 0xdc }
    public fun op_return_221(): u8 { 0xdd }
    public fun op_return_222(): u8 { 0xde }
    public fun op_return_223(): u8 { 0xdf }
    public fun op_return_224(): u8 { 0xe0 }
    public fun op_return_225(): u8 { 0xe1 }
    public fun op_return_226(): u8 { 0xe2 }
    public fun op_return_227(): u8 { 0xe3 }
    public fun op_return_228(): u8 { 0xe4 }
    public fun op_return_229(): u8 { 0xe5 }
    public fun op_return_230(): u8 { 0xe6 }
    public fun op_return_231(): u8 { 0xe7 }
    public fun op_return_232(): u8 { 0xe8 }
    public fun op_return_233(): u8 { 0xe9 }
    public fun op_return_234(): u8 { 0xea }
    public fun op_return_235(): u8 { 0xeb }
    public fun op_return_236(): u8 { 0xec }
    public fun op_return_237(): u8 { 0xed }
    public fun op_return_238(): u8 { 0xee }
    public fun op_return_239(): u8 { 0xef }
    public fun op_return_240(): u8 { 0xf0 }
    public fun op_return_241(): u8 { 0xf1 }
    public fun op_return_242(): u8 { 0xf2 }
    public fun op_return_243(): u8 { 0xf3 }
    public fun op_return_244(): u8 { 0xf4 }
    public fun op_return_245(): u8 { 0xf5 }
    public fun op_return_246(): u8 { 0xf6 }
    public fun op_return_247(): u8 { 0xf7 }
    public fun op_return_248(): u8 { 0xf8 }
    public fun op_return_249(): u8 { 0xf9 }
    public fun op_return_250(): u8 { 0xfa }
    public fun op_return_251(): u8 { 0xfb }
    public fun op_return_252(): u8 { 0xfc }
    public fun op_return_253(): u8 { 0xfd }
    public fun op_return_254(): u8 { 0xfe }

    // Never defined.
    public fun op_invalidopcode(): u8 { 0xff }
}
