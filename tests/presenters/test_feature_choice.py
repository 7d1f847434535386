import pytest

from latentmap.presenters.feature_choice import FeatureChoice
from latentmap.session import Parameters

GENES = tuple(f"gene {i}" for i in range(501))
COUNTS = tuple(f"{gene} [layer counts]" for gene in GENES)
PCA = tuple(f"X_pca_{axis}" for axis in range(1, 11))
SCVI = tuple(f"X_scVI_{axis}" for axis in range(1, 6))
UMAP = ("X_umap_1", "X_umap_2")


class View:
    """What a form shows."""

    def show_sources(self, labels, chosen):
        self.labels, self.source = list(labels), labels[chosen] if labels else None

    def show_names(self, names):
        self.names = tuple(names)


@pytest.fixture
def form():
    view, parameters = View(), Parameters()
    view.parameters, view.choice = parameters, FeatureChoice(parameters, view)
    return view


def test_an_ordinary_table_has_no_choice_of_sets(form):
    form.choice.offer(("area", "DNA", "PC1", "PC2", "UMAP1", "UMAP2"), 200)
    assert form.labels == []
    assert form.names == ("area", "DNA", "PC1", "PC2", "UMAP1", "UMAP2")
    assert form.parameters.features == ("area", "DNA", "PC1", "PC2")


def test_a_gene_table_is_mapped_by_its_own_components_unscaled(form):
    form.choice.offer((*GENES, *COUNTS, *PCA, *SCVI, *UMAP), 200)
    assert form.labels == [
        "table columns (503)", "X_pca (10)", "X_scVI (5)", 'layer "counts" (501)', "all of these (1019)"
    ]  # fmt: skip
    assert (form.source, form.names) == ("X_pca (10)", PCA)
    assert form.parameters.features == PCA
    assert (form.parameters.scaling, form.parameters.n_pca) == ("none", 0)


def test_a_table_of_markers_is_mapped_by_itself(form):
    form.choice.offer((*GENES[:40], *PCA), 200)
    assert (form.source, form.parameters.features) == ("table columns (40)", GENES[:40])
    assert form.parameters.scaling == "standard"


@pytest.mark.parametrize("names", ["PC_{}", "pca {}", "harmony_{}", "LSI_{}", "X_pca_{}"])
def test_components_in_a_table_are_not_scaled(form, names):
    """Seurat's table of cells with its components: counts of each cell only describe it."""
    components = tuple(names.format(axis) for axis in range(1, 31))
    form.choice.offer(("nCount_RNA", "nFeature_RNA", "percent.mt", *components, *UMAP), 2000)
    assert form.source == f"{names[:-2].rstrip('_ ')} (30)"
    assert form.parameters.features == components
    assert (form.parameters.scaling, form.parameters.n_pca) == ("none", 0)


def test_what_the_components_are_of_goes_first(form):
    components = tuple(f"PC{axis}" for axis in range(1, 11))
    form.choice.offer((*GENES[:40], *components), 200)
    assert form.labels == ["table columns (40)", "PC (10)", "all of these (50)"]
    assert form.parameters.features == GENES[:40]
    assert form.parameters.scaling == "standard"


def test_an_array_of_an_anndata_is_not_chosen_by_itself(form):
    form.choice.offer(("area", "DNA", "actin", *SCVI), 200)
    assert (form.source, form.parameters.features) == ("table columns (3)", ("area", "DNA", "actin"))


def test_few_components_are_features_beside_others(form):
    form.choice.offer(("area", "DNA", "PC1", "PC2", "PC3", "PC4"), 200)
    assert form.labels == []
    assert form.parameters.features == ("area", "DNA", "PC1", "PC2", "PC3", "PC4")


def test_each_set_is_prepared_as_suits_it(form):
    form.choice.offer((*GENES, *COUNTS, *PCA, *SCVI, *UMAP), 200)
    form.choice.choose_source(2)
    assert (form.names, form.parameters.features) == (SCVI, SCVI)
    form.choice.choose_source(3)
    assert form.parameters.features == COUNTS
    assert (form.parameters.scaling, form.parameters.n_pca) == ("standard", 50)
    form.choice.choose_source(0)
    assert form.names == (*GENES, *UMAP)
    assert form.parameters.features == GENES
    assert form.parameters.n_pca == 50
    form.choice.choose_source(1)
    assert (form.parameters.features, form.parameters.scaling, form.parameters.n_pca) == (PCA, "none", 0)


def test_all_of_these_keeps_the_ticks(form):
    form.choice.offer((*GENES[:30], *PCA), 200)
    form.choice.choose_source(2)
    assert form.names == (*GENES[:30], *PCA)
    assert form.parameters.features == GENES[:30]
    form.choice.choose([*GENES[:2], PCA[0]])
    assert form.source == "all of these (40)"


def test_the_list_follows_what_is_chosen_elsewhere(form):
    form.choice.offer((*GENES[:3], *PCA), 200)
    form.parameters.features = PCA[:5]
    assert (form.source, form.names) == ("X_pca (10)", PCA)
    form.parameters.features = (GENES[0], PCA[0])
    assert form.source == "all of these (13)"


def test_the_choice_stays_when_a_feature_is_added_and_when_the_cells_come_back(form):
    names = (*GENES, *PCA, *SCVI)
    form.choice.offer(names, 200)
    form.choice.choose_source(2)
    form.choice.offer((*names, "neighbours"), 200)
    assert (form.source, form.parameters.features) == ("X_scVI (5)", SCVI)
    form.choice.offer((), 0)
    assert (form.labels, form.names) == ([], ())
    form.choice.offer((*names, "neighbours"), 200)
    assert (form.source, form.parameters.features) == ("X_scVI (5)", SCVI)
