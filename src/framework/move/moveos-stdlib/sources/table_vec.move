module moveos_std::table_vec {
    struct TableVec<phantom T0: store> has store {
        contents: moveos_std::table::Table<u64, T0>,
    }
}
