"""How much of what a type of devices handles at once, and from where on another algorithm is better."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

__all__ = ["ACCELERATOR", "CPU", "Limits"]


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of what a type of devices handles at once, and from where on another algorithm is better.

    On the CPU what is handled at once shall stay in a core's cache; on an accelerator every piece starts all kernels again.
    """

    batch_rows: int | None
    """Rows a batch at most; None: a batch is the whole input, and one worker is enough.

    Smaller ones keep temporaries closer to a core, larger ones spend less on the interpreter.
    """
    smallest_batch: int
    """Rows that are worth a batch of their own."""
    scattered_batch: int
    """Rows that an index has which are worth a batch of their own."""
    listed_batch: int
    """Rows of a batch at most where lists are made of values of each row: they and what is made of them stay in cache."""
    batches_a_worker: int
    """Batches for each worker, so that none waits long for the last."""
    first_batch: int
    """Rows of the first batch where few rows may be enough; later ones grow."""
    generated_rows: int | None
    """Rows that a table function gives for those of a batch, handled at once; None: all."""
    pairs: int
    """Pairs of rows that may match, handled at once."""
    few_pairs: int
    """Pairs of the first piece where few may be enough."""
    nearest_products: bool
    """Whether nearest rows by a measure of two vectors are found by matrix products."""
    listed_vectors: int | None
    """Of a table of so many rows near ones (APPROX) may be found by inverted lists of its vectors; None: never."""
    listed_share: float
    """They are not where it takes a larger share of all pairs."""
    near_recall: float
    """Such a share of the nearest rows is to be among those found."""
    sparse_slots: int | None
    """With so many slots of a table a row, a byte for each first says which keys there are; None: never, as that is a wait."""
    reduced_rows: int
    """A build side of about so many rows or more is first cut down to those that a much smaller probe side asks for."""
    reduced_share: float
    """It is much smaller with at most this share of the build side's keys. When more rows than this share are kept, all are."""
    pairs_a_row: int
    """Several keys are looked up by one of them if so many rows have the same value of it, at most; else by all."""
    banded_rows: int
    """A build side of so many rows is sorted for comparisons that keep a range of it."""
    grouped_at_once: int
    """Groups (or rows) times grouping sets that are worked on together."""
    coarsened_at_once: int
    """Of no more groups than this all coarser sets are made at once; of more one after the other, each of the fewest groups."""
    united_groups: float
    """Rows are grouped once for several grouping sets by the keys of all, if that gives no more groups than this share of the
    rows; else once for each."""
    entries_at_once: int
    """A condition on a text is evaluated for up to so many entries of its dictionary however few rows come, for more only for many
    rows."""
    entries_a_row: int
    """Of a larger dictionary, too, so many for each row that is expected are evaluated ahead of the rows."""
    entries_a_piece: int | None
    """Entries of a dictionary that a worker evaluates at once, for others to do the rest; None: all."""
    compared_entries: int
    """A condition that holds for entries side by side is a comparison of codes, where no more entries than this come to a row of a
    batch; 0: never, as to find that out is a wait."""
    tabled_strings: int | None
    """So many strings are worth tables of a regular expression, which find its groups in place of RE2; None: never."""
    few_groups: int
    """A key range up to this is kept in arrays indexed by the key, however few rows there are."""
    group_slots: int
    """A larger range is, if it has no more than so many slots a row that comes."""
    direct_groups: int
    """Largest key range for which states are kept in arrays indexed by the key, 8 bytes a state, group and worker."""
    merged_at_once: int
    """More groups of batches than this are merged by several workers, each its share."""
    shares_a_worker: int
    """Shares for each worker, so that all end at about the same time."""
    meeting_share: float
    """Groups of batches in the order of a key are merged where batches meet, if no more than this share lies there; 0: never."""
    grouped_below: float
    """Where no fewer than this share of a batch's rows differ, the next ones are not grouped before the end."""
    kept_below: float
    """Aggregates of whole groups go on to keep a part of each batch where that is less than this share of its rows; 0: all rows."""
    sequenced_slots: float
    """Rows that are listed are put in the order of their groups batch by batch where keys have up to so many slots for each row of
    a batch; 0: never."""
    divided_above: float | None
    """Where more than this share of some rows differ, rows are divided by their keys before they are grouped. None: never, nor are
    those of two sides of a set operation."""
    divided_rows: int
    """About so many of them are a share, which one core's cache holds while it is grouped."""
    record_words: int
    """Rows that take more words of 64 bits than this are not divided: to move them takes longer than to group batches."""
    marked_slots: int
    """Distinct values may be marked in so many slots a row that comes, a byte a slot and worker."""
    masked_groups: int
    """More groups than this are cheaper by scatter-add than by one masked reduction each, where a pipeline is compiled."""
    summed_rows: int
    """Rows whose sums a compiled pipeline adds up together: those of magnitudes below 2**31 through it stay in 32 bits."""
    window_rows: int | None
    """Rows of whole partitions whose windows are worth a worker's while; None: all rows are worked on together."""
    bitmap_keys: int
    """Largest key range kept as a bitmap, a byte a key."""
    bitmap_slots: int
    """A bitmap may have so many slots for each row that came."""
    bitmap_rows: int
    """A bitmap may have the slots of so many rows, however few came."""
    table_slots: int
    """Largest table of a lookup, or bitmap, that many probes alone justify, 4 bytes a slot, or one."""
    lookup_slots: int
    """A table of a lookup may have so many slots a row of the build side."""
    index_slots: int
    """So may a table that stays with the rows, as an index."""
    small_table: int
    """A table of this many slots is small enough for any number of rows."""
    index_share: float
    """An index is preferred to scanning the indexed table when it reads less than this share of its rows."""
    indexed_rows: int | None
    """Rows of a table of so many may be found by value indexes of its columns, which several queries asked for; None: never."""
    ranged_rows: int
    """For conditions on its columns, a table of so many."""
    rows_a_value: int
    """Those are evaluated for all values of a column where there are so many rows for each."""
    index_asks: int
    """Queries that ask for such an index before it is made."""
    index_bytes: int
    """Bytes of such indexes, of all tables together."""
    value_slots: int
    """Such an index has no more slots than this a row."""
    joined_share: float
    """It is preferred to a scan and a probe of its rows when so large a share of the rows may find a partner."""
    ranged_share: float
    """It is preferred to a scan and a condition on its rows when the condition holds for so large a share."""
    looped_share: float
    """Of a larger share it is not where one compiled loop reads and groups all rows; nor is it made before more queries ask."""
    keyless_share: float
    """The same where that loop knows no groups."""
    late_asks: int
    """Queries that ask for such an index before it is made, where it gains little: for a larger share than `looped_share`, or
    beside a compiled loop without groups."""
    compact_below: float
    """Between two conditions rows are compacted when fewer than this share are left; 0: never, as counting them is a wait."""
    predict_below: float
    """So they are ahead of a condition that asks a model."""
    combinations: int
    """No more combinations of inputs than this are predicted ahead of their rows."""
    rows_a_combination: int
    """Inputs are worth being predicted ahead of their rows, or coded, if there are so many rows for each of them."""
    coded_numbers: int
    """Numbers of so narrow a range are handed to a model as codes into a table."""
    predicted_rows: int | None
    """Rows predicted together, so that a batch's features are never all there at once; None: all of a batch."""
    predicted_numbers: int | None
    """Numbers of arrays predicted together, which every step of the model finds in cache; None: all."""
    layer_rows: int | None
    """Rows that pass the layers of a network together; None: all."""
    array_numbers: int | None
    """Numbers of an array of features that are widened and weighed together; None: all."""
    model_numbers: int
    """Numbers that a model makes of a block of rows where it makes many of each, as distances are."""
    tree_rows: int | None
    """Rows that pass an ensemble of trees together, whose cells and leaf numbers are there at once; None: as the bytes allow."""
    tree_loops: bool
    """Whether ensembles of trees run as a loop, where it is compiled."""
    looped_rows: int | None
    """A table of so many rows is worth a loop of its own, which Numba compiles; None: never."""
    looped_after: int
    """Rows that a pipeline has read before it is compiled so."""
    rowwise_rows: int | None
    """So few rows of a recursion's step are computed one by one as numbers of Python; None: never."""
    rowwise_after: int
    """Rounds of so few rows come before what is done to a row is written down."""
    zone_rows: int | None
    """Rows of a block of a stored column, which is left out where its least and greatest values say so; None: all are read."""
    zoned_rows: int
    """A table of so many rows has blocks worth asking for."""
    gap_rows: int
    """So many rows between two that are read are read as well, rather than that these become two batches."""
    excerpt_share: float
    """Some row groups of a table in files are read alone, if it is not read yet and no more than this share of its rows lies there.
    0: never."""
    excerpt_rows: int
    """So few rows are read whichever are needed, and so many at least where the first ones are."""
    measured_rows: int | None
    """What conditions keep is remembered of a table of so many rows, to estimate by; None: never."""
    key_filter_rows: int | None
    """A table of so many rows is worth being filtered by the keys of a build side where it is scanned; None: never."""
    key_filter_keys: float
    """More keys than this share of the table's rows are not asked for."""
    key_filter_repeats: int
    """So many rows have the same key in a build side, about, where not all are different."""
    key_filter_here: float
    """Keys are tested ahead of another join's probe if they are no more than this share of what there may be."""
    key_filter_below: float
    """So are they ahead of groups or of a build, which cost more."""
    key_filter_kept: float
    """Where more than this share of the rows is kept, the next ones are not tested."""
    key_filter_trial: int
    """Rows that tell."""
    sought_share: float
    """They are chosen by keys of a joined table, too, that has at most this share of its rows. 0: never."""
    tree_bytes: int
    """Bytes of masks, or of cells, of an ensemble of trees at once."""

    def lookup_table(self, rows: int) -> int:
        """The largest table of a lookup of so many rows."""
        return max(self.lookup_slots * rows, self.small_table)

    def index_table(self, rows: int) -> int:
        """The largest table of an index of so many rows."""
        return max(self.index_slots * rows, self.small_table)


CPU: Final = Limits(
    batch_rows=2**20,
    smallest_batch=2**18,
    scattered_batch=2**15,
    listed_batch=2**17,
    batches_a_worker=2,
    first_batch=2**14,
    generated_rows=2**18,
    pairs=2**21,
    few_pairs=2**14,
    nearest_products=True,
    listed_vectors=2**17,
    listed_share=0.25,
    near_recall=0.95,
    sparse_slots=8,
    reduced_rows=2**17,
    reduced_share=0.25,
    pairs_a_row=8,
    banded_rows=4,
    grouped_at_once=2**21,
    coarsened_at_once=2**13,
    united_groups=0.125,
    entries_at_once=2**14,
    entries_a_row=8,
    entries_a_piece=2**16,
    tabled_strings=2**13,
    compared_entries=1,
    few_groups=2**10,
    group_slots=4,
    direct_groups=2**21,
    merged_at_once=2**15,
    shares_a_worker=4,
    meeting_share=0.25,
    grouped_below=0.9,
    kept_below=0.9,
    sequenced_slots=0.25,
    divided_above=0.5,
    divided_rows=2**15,
    record_words=8,
    marked_slots=16,
    masked_groups=16,
    summed_rows=2**18,
    window_rows=2**17,
    bitmap_keys=2**28,
    bitmap_slots=64,
    bitmap_rows=2**14,
    table_slots=2**26,
    lookup_slots=16,
    index_slots=32,
    small_table=2**20,
    index_share=0.25,
    indexed_rows=2**19,
    ranged_rows=2**20,
    rows_a_value=8,
    index_asks=2,
    index_bytes=2**30,
    value_slots=4,
    joined_share=0.06,
    ranged_share=0.12,
    looped_share=0.05,
    keyless_share=0.015,
    late_asks=8,
    compact_below=0.5,
    predict_below=0.5,
    combinations=2**16,
    rows_a_combination=4,
    coded_numbers=2**10,
    predicted_rows=2**17,
    predicted_numbers=2**20,
    layer_rows=2**11,
    array_numbers=2**18,
    model_numbers=2**22,
    tree_rows=2**15,
    tree_loops=True,
    looped_rows=2**18,
    looped_after=2**22,
    rowwise_rows=32,
    rowwise_after=32,
    zone_rows=2**14,
    zoned_rows=2**17,
    gap_rows=2**16,
    excerpt_share=0.5,
    excerpt_rows=2**11,
    measured_rows=2**12,
    sought_share=0.125,
    key_filter_rows=2**16,
    key_filter_keys=0.25,
    key_filter_repeats=4,
    key_filter_here=0.25,
    key_filter_below=0.5,
    key_filter_kept=0.8,
    key_filter_trial=2**16,
    tree_bytes=2**21,
)
ACCELERATOR: Final = replace(
    CPU,
    batch_rows=None,
    window_rows=None,
    predicted_rows=None,
    predicted_numbers=None,
    layer_rows=None,
    array_numbers=None,
    generated_rows=None,
    pairs=2**26,
    grouped_at_once=2**26,
    coarsened_at_once=2**16,
    entries_at_once=2**62,
    entries_a_piece=None,
    compared_entries=0,
    compact_below=0.0,
    sparse_slots=None,
    model_numbers=2**26,
    tree_rows=None,
    tree_loops=False,
    divided_above=None,
    looped_rows=None,
    looped_after=0,
    rowwise_rows=None,
    rowwise_after=0,
    zone_rows=None,
    key_filter_rows=None,
    tree_bytes=2**28,
)
